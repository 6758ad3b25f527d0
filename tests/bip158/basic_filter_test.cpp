#include "bip158/basic_filter.h"

#include <gtest/gtest.h>

#include "bip158/gcs.h"
#include "chain/block_header.h"
#include "tests/support/vectors.h"
#include "util/codec.h"

namespace spv::bip158 {
namespace {

using test::hex;

/// A row of BIP158's own test vectors.
struct Row {
  std::string block_hash;
  util::Bytes block;
  std::vector<util::Bytes> spent;
  std::string previous;
  util::Bytes filter;
  std::string header;
};

std::vector<chain::Transaction> transactions_of(util::ByteView block) {
  util::Reader in(block.subspan(chain::BlockHeader::kSize));
  std::vector<chain::Transaction> txs(in.count(60));
  for (auto& tx : txs) tx = chain::Transaction::decode(in);
  EXPECT_TRUE(in.done());
  return txs;
}

void expect_filter(const Row& row) {
  const auto block = *util::parse_hash<chain::BlockHash>(row.block_hash);
  const auto txs = transactions_of(row.block);
  const util::Bytes filter = basic_filter(block, txs, row.spent);
  EXPECT_EQ(filter, row.filter);
  EXPECT_EQ(to_string(filter_header(filter_hash(filter), *util::parse_hash<FilterHeader>(row.previous))), row.header);
  Scratch scratch;
  ScriptSet scripts;
  std::size_t held = 0;
  for (const auto& tx : txs) {
    for (const auto& output : tx.outputs) {
      scripts.add(output.script_pubkey);
      held += holds_output(output.script_pubkey) ? 1U : 0U;
    }
  }
  for (const auto& script : row.spent) {
    scripts.add(script);
    held += holds_spent(script) ? 1U : 0U;
  }
  const auto matches = match_all(filter, block, scripts, scratch);
  ASSERT_TRUE(matches);
  EXPECT_EQ(matches->size(), held) << "all but those with OP_RETURN";
  const auto any = match_any(filter, block, scripts, scratch);
  ASSERT_TRUE(any);
  EXPECT_EQ(*any, held > 0);
}

const char* const kGenesis =
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc388"
    "8a"
    "51323a9fb8aa4b1e5e4adae5494dffff001d1aa4ae1801010000000100000000000000000000000000000000000000000000000000000000"
    "00000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e20627269"
    "6e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967"
    "f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00"
    "000000";

TEST(BasicFilter, OfTestnetsGenesisIsThatOfTheBip) {
  expect_filter({.block_hash = "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
                 .block = hex(kGenesis),
                 .spent = {},
                 .previous = std::string(64, '0'),
                 .filter = hex("019dfca8"),
                 .header = "21584579b7eb08997773e5aeff3a7f932700042d0ed2a6129012b7d7ae81b750"});
}

TEST(BasicFilter, OfEachBlockOfTheBipIsTheBips) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip158/testnet-19.json");
  const auto file = test::read_json(path);
  std::size_t rows = 0;
  for (const auto& entry : file.as_array()) {
    const auto& cells = entry.as_array();
    if (cells.size() < 8) continue;  // the titles
    const auto text = [&](std::size_t cell) { return std::string(cells.at(cell).as_string()); };
    SCOPED_TRACE(text(1));
    Row row{.block_hash = text(1),
            .block = hex(text(2)),
            .spent = {},
            .previous = text(4),
            .filter = hex(text(5)),
            .header = text(6)};
    for (const auto& script : cells.at(3).as_array()) row.spent.push_back(hex(script));
    expect_filter(row);
    ++rows;
  }
  EXPECT_EQ(rows, 10U);
}

TEST(BasicFilter, LeavesOutEmptyScriptsAndOpReturn) {
  EXPECT_FALSE(holds_output({}));
  EXPECT_FALSE(holds_output(hex("6a")));
  EXPECT_FALSE(holds_output(hex("6a51")));
  EXPECT_TRUE(holds_output(hex("516a")));
  EXPECT_FALSE(holds_spent({}));
  // No such output can be spent, but the rule for what is spent does not know that.
  EXPECT_TRUE(holds_spent(hex("6a51")));
}

TEST(BasicFilter, WithNothingToHoldIsOneByte) {
  chain::Transaction tx;
  tx.outputs = {{.value = 1, .script_pubkey = {}}, {.value = 0, .script_pubkey = hex("6a0401020304")}};
  EXPECT_EQ(basic_filter({}, {&tx, 1}, {}), hex("00"));
}

TEST(BasicFilter, CountsAScriptOnce) {
  chain::Transaction tx;
  tx.outputs = {{.value = 1, .script_pubkey = hex("51")}, {.value = 2, .script_pubkey = hex("51")}};
  const std::vector<util::Bytes> spent{hex("51"), hex("")};
  const util::Bytes filter = basic_filter({}, {&tx, 1}, spent);
  Scratch scratch;
  EXPECT_EQ(*validate(filter, scratch), 1U);
  tx.outputs.pop_back();
  EXPECT_EQ(basic_filter({}, {&tx, 1}, {}), filter);
}

TEST(FilterHeader, LinksTheHashToTheHeaderBefore) {
  FilterHash hash;
  hash.bytes.fill(1);
  FilterHeader previous;
  previous.bytes.fill(2);
  EXPECT_NE(filter_header(hash, previous), filter_header(hash, {}));
  EXPECT_NE(filter_header(hash, previous), filter_header({}, previous));
}

}  // namespace
}  // namespace spv::bip158
