// R2: what a message makes us allocate is bounded by its bytes, whatever its counts promise. A program of its own,
// since it replaces operator new to count.
#include <gtest/gtest.h>

#include "p2p/message_reader.h"
#include "tests/p2p/counting_new.h"
#include "tests/p2p/samples.h"
#include "util/codec.h"

namespace spv::p2p {
namespace {

constexpr std::size_t kSlack = 64 * 1024;

std::size_t cost_of(util::ByteView bytes) {
  const std::size_t before = test::bytes_allocated();
  {
    MessageReader reader(test::kMagic);
    reader.feed(bytes);
    while (true) {
      const auto next = reader.next();
      if (!next || !*next) break;
    }
  }
  return test::bytes_allocated() - before;
}

util::Bytes with_count(util::ByteView before, std::uint64_t count) {
  util::Writer out;
  out.bytes(before).compact_size(count).bytes(util::Bytes(100, 0));
  return out.take();
}

TEST(Allocation, R2_CountsThatLieAllocateNothing) {
  const util::Bytes version_start(4 + 8 + 8 + 26 + 26 + 8, 0);
  const util::Bytes header_and_total(84, 0);
  util::Bytes one_hash = header_and_total;
  one_hash.push_back(0);
  const util::Bytes tx_version(4, 0);
  const util::Bytes extended_tx = {2, 0, 0, 0, 0, 1};
  util::Bytes script(tx_version);
  script.push_back(1);
  script.resize(script.size() + 36);
  const util::Bytes hash(32, 0);
  const util::Bytes addr_v2 = {1, 0, 0, 0, 0, 0, 0xAA};
  struct Field {
    std::string_view command;
    util::Bytes before;
  };
  const Field fields[] = {{"version", version_start},
                          {"getheaders", tx_version},
                          {"headers", {}},
                          {"inv", {}},
                          {"getdata", {}},
                          {"notfound", {}},
                          {"addr", {}},
                          {"addrv2", {}},
                          {"addrv2", addr_v2},
                          {"block", util::Bytes(80, 0)},
                          {"getblocktxn", hash},
                          {"blocktxn", hash},
                          {"cfilter", util::Bytes(33, 0)},
                          {"cfheaders", util::Bytes(65, 0)},
                          {"cfcheckpt", util::Bytes(33, 0)},
                          {"filterload", {}},
                          {"tx", tx_version},
                          {"tx", extended_tx},
                          {"tx", script},
                          {"merkleblock", header_and_total},
                          {"merkleblock", one_hash}};
  for (const auto& [command, before] : fields) {
    for (const std::uint64_t count :
         {std::uint64_t{1} << 16U, std::uint64_t{0xFFFF'FFFF}, std::uint64_t{1} << 63U, ~std::uint64_t{0}}) {
      const auto frame = test::raw_frame(command, with_count(before, count));
      EXPECT_LE(cost_of(frame), frame.size() + kSlack) << command << " " << count;
    }
  }
}

TEST(Allocation, R2_AHeaderThatPromisesFourMillionBytesAllocatesNothing) {
  auto frame = test::raw_frame("tx", {});
  frame[16] = 0x00;
  frame[17] = 0x09;
  frame[18] = 0x3D;  // 4,000,000
  EXPECT_LE(cost_of(frame), frame.size() + kSlack);
}

TEST(Allocation, R1_AnOversizedHeaderAllocatesNothing) {
  auto frame = test::raw_frame("tx", {});
  frame[19] = 0xFF;
  EXPECT_LE(cost_of(frame), frame.size() + kSlack);
}

}  // namespace
}  // namespace spv::p2p
