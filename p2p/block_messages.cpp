#include "p2p/block_messages.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "chain/block_walk.h"

namespace spv::p2p {
namespace {

// Version, one input, one output, lock time: nothing smaller decodes as a transaction.
constexpr std::size_t kMinTxSize = 4 + 1 + 41 + 1 + 9 + 4;

constexpr std::size_t kMaxIndex = std::numeric_limits<std::uint16_t>::max();

// A transaction takes more memory than bytes, so the list grows with what has decoded, not with the count.
std::vector<chain::Transaction> decode_transactions(util::Reader& in) {
  std::vector<chain::Transaction> transactions;
  const std::size_t count = in.count(kMinTxSize);
  for (std::size_t i = 0; i < count && in.ok(); ++i) transactions.push_back(chain::Transaction::decode(in));
  return transactions;
}

}  // namespace

void Block::encode(util::Writer& out) const {
  header.encode(out);
  out.bytes(body);
}

Block Block::owning(const chain::BlockHeader& header, util::Bytes body) {
  auto kept = std::make_shared<const util::Bytes>(std::move(body));
  return {.header = header, .body = *kept, .kept = kept};
}

Block Block::decode(util::Reader& in) {
  Block message;
  message.header = chain::BlockHeader::decode(in);
  message.body = in.view(in.remaining());
  if (message.body.empty() || message.body[0] == 0) in.fail();  // not even a coinbase
  return message;
}

bool operator==(const Block& a, const Block& b) {
  return a.header == b.header && std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end());
}

void GetBlockTxn::encode(util::Writer& out) const {
  out.hash(block).compact_size(indexes.size());
  std::uint32_t next = 0;  // each index is told as its distance from the least that it can be
  for (const std::uint16_t index : indexes) {
    out.compact_size(index - next);
    next = index + 1U;
  }
}

GetBlockTxn GetBlockTxn::decode(util::Reader& in) {
  GetBlockTxn message;
  message.block = in.hash<chain::BlockHash>();
  const std::size_t count = in.count(1, kMaxIndex + 1);
  message.indexes.reserve(count);
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t distance = in.compact_size();
    if (distance > kMaxIndex || next + distance > kMaxIndex) {
      in.fail();
      break;
    }
    message.indexes.push_back(static_cast<std::uint16_t>(next + distance));
    next += distance + 1;
  }
  return message;
}

void BlockTxn::encode(util::Writer& out) const {
  out.hash(block).compact_size(transactions.size());
  for (const auto& tx : transactions) tx.encode(out);
}

BlockTxn BlockTxn::decode(util::Reader& in) {
  BlockTxn message;
  message.block = in.hash<chain::BlockHash>();
  message.transactions = decode_transactions(in);
  return message;
}

}  // namespace spv::p2p
