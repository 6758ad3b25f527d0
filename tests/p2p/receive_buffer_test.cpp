#include "p2p/receive_buffer.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace spv::p2p {
namespace {

RC_GTEST_PROP(ReceiveBuffer, IsAQueueOfBytesHoweverItIsFilledAndDropped, (const std::vector<util::Bytes>& pieces)) {
  ReceiveBuffer buffer;
  util::Bytes model;
  for (const auto& piece : pieces) {
    if (piece.size() % 2 == 0) {
      buffer.append(piece);
    } else {  // more room than is used
      std::copy(piece.begin(), piece.end(), buffer.prepare(piece.size() + 7).begin());
      buffer.commit(piece.size());
    }
    model.insert(model.end(), piece.begin(), piece.end());
    const auto drop = *rc::gen::inRange<std::size_t>(0, model.size() + 1);
    buffer.drop(drop);
    model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(drop));
    RC_ASSERT(util::to_bytes(buffer.view()) == model);
  }
}

TEST(ReceiveBuffer, RoomIsBehindWhatIsHere) {
  ReceiveBuffer buffer;
  buffer.append(util::as_bytes("abc"));
  const auto room = buffer.prepare(2);
  EXPECT_EQ(room.data(), buffer.view().data() + 3);
  EXPECT_EQ(room.size(), 2U);
}

TEST(ReceiveBuffer, DroppingTheFrontMovesNoBytes) {
  ReceiveBuffer buffer;
  buffer.append(util::Bytes(1'000, 1));
  const auto* const before = buffer.view().data();
  buffer.drop(10);
  EXPECT_EQ(buffer.view().data(), before + 10);
}

}  // namespace
}  // namespace spv::p2p
