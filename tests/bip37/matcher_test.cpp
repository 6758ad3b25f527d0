#include "bip37/matcher.h"

#include <gtest/gtest.h>

#include "bip37/filter_mirror.h"
#include "tests/bip37/samples.h"
#include "tests/support/vectors.h"

namespace spv::bip37 {
namespace {

using test::from_hex;
using test::hex;

BloomFilter filter_of(const std::vector<util::Bytes>& elements, UpdateFlags flags = UpdateFlags::All) {
  BloomFilter filter(design_filter(10, 1e-6), 0, flags);
  for (const auto& element : elements) filter.insert(element);
  return filter;
}

chain::Transaction decode_tx(const util::Bytes& bytes) {
  util::Reader in(bytes);
  return chain::Transaction::decode(in);
}

bool matches(const chain::Transaction& tx, BloomFilter& filter) { return match_and_update(tx, tx.txid(), filter); }

chain::Transaction paying(const util::Bytes& script) {
  chain::Transaction tx;
  tx.inputs.resize(1);
  tx.outputs.push_back({.value = 1, .script_pubkey = script});
  return tx;
}

bool output_matches(std::string_view script, std::string_view element) {
  auto filter = filter_of({hex(element)}, UpdateFlags::None);
  return matches(paying(hex(script)), filter);
}

// True if the output's outpoint is in the filter afterwards.
bool output_is_inserted(const util::Bytes& script, const util::Bytes& element, UpdateFlags flags) {
  auto filter = filter_of({element}, flags);
  const auto tx = paying(script);
  EXPECT_TRUE(matches(tx, filter));
  return filter.contains(chain::OutPoint{.txid = tx.txid(), .index = 0}.bytes());
}

util::Bytes key(std::uint8_t prefix, std::size_t size) {
  util::Bytes out(size, 0x77);
  out[0] = prefix;
  return out;
}

util::Bytes script(const std::vector<util::Bytes>& pieces) {
  util::Bytes out;
  for (const auto& piece : pieces) out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

util::Bytes push(const util::Bytes& data) { return script({{static_cast<std::uint8_t>(data.size())}, data}); }

const char* const kTx =
    "01000000010b26e9b7735eb6aabdf358bab62f9816a21ba9ebdb719d5299e88607d722c190000000008b4830450220070aca44506c5cef3a16"
    "ed519d7c3c39f8aab192c4e1c90d065f37b8a4af6141022100a8e160b856c2d43d27d8fba71e5aef6405b8643ac4cb7cb3c462aced7f14711a"
    "0141046d11fee51b0e60666d5049a9101a72741df480b96ee26488a4d3466b95c9a40ac5eeef87e10a5cd336c19a84565f80fa6c547957b770"
    "0ff4dfbdefe76036c339ffffffff021bff3d11000000001976a91404943fdd508053c75000106d3bc6e2754dbcff1988ac2f15de0000000000"
    "1976a914a266436d2965547608b9e15d9032a7b9d64fa43188ac00000000";

TEST(Matcher, TestsWhatCoreTests) {
  const auto tx = decode_tx(from_hex(kTx));
  for (const auto& [what, element, wanted] : std::vector<std::tuple<const char*, const char*, bool>>{
           {"txid", "6bff7fcd4f8565ef406dd5d63d4ff94f318fe82027fd4dc451b04474019f74b4", true},
           {"signature in scriptSig",
            "30450220070aca44506c5cef3a16ed519d7c3c39f8aab192c4e1c90d065f37b8a4af6141022100a8e160b856c2d43d27d8fba71e5a"
            "ef6405b8643ac4cb7cb3c462aced7f14711a01",
            true},
           {"key in scriptSig",
            "046d11fee51b0e60666d5049a9101a72741df480b96ee26488a4d3466b95c9a40ac5eeef87e10a5cd336c19a84565f80fa6c547957"
            "b7700ff4dfbdefe76036c339",
            true},
           {"output", "04943fdd508053c75000106d3bc6e2754dbcff19", true},
           {"other output", "a266436d2965547608b9e15d9032a7b9d64fa431", true},
           {"spent outpoint", "0b26e9b7735eb6aabdf358bab62f9816a21ba9ebdb719d5299e88607d722c19000000000", true},
           {"outpoint of another index", "0b26e9b7735eb6aabdf358bab62f9816a21ba9ebdb719d5299e88607d722c19001000000",
            false},
           {"foreign hash", "0000006d2965547608b9e15d9032a7b9d64fa431", false}}) {
    auto filter = filter_of({from_hex(element)});
    EXPECT_EQ(matches(tx, filter), wanted) << what;
  }
}

TEST(Matcher, CutsScriptsAsCoreDoes) {
  EXPECT_TRUE(
      output_matches("0014751e76e8199196d454941c45d1b3a323f1433bd6", "751e76e8199196d454941c45d1b3a323f1433bd6"));
  EXPECT_TRUE(output_matches("6a04aabbccdd", "aabbccdd")) << "OP_RETURN data";
  EXPECT_TRUE(output_matches("4c03aabbcc", "aabbcc")) << "OP_PUSHDATA1";
  EXPECT_TRUE(output_matches("4d0300aabbcc", "aabbcc")) << "OP_PUSHDATA2";
  EXPECT_TRUE(output_matches("4e03000000aabbcc", "aabbcc")) << "OP_PUSHDATA4";
  EXPECT_TRUE(output_matches("01aa05", "aa")) << "a bad push after a good one";
  EXPECT_FALSE(output_matches("05aabbcc", "aabbcc")) << "a push over the end";
  EXPECT_FALSE(output_matches("05aabbcc02aabb", "aabb")) << "nothing is read behind a bad push";
  EXPECT_FALSE(output_matches("4effffffffaabb", "aabb"));
  EXPECT_FALSE(output_matches("4dff", "ff")) << "half a length";
  EXPECT_FALSE(output_matches("51", "01")) << "OP_1 carries no data";
  EXPECT_FALSE(output_matches("00ac", "")) << "empty pushes are not tested";
}

TEST(Matcher, NeverTestsTheWitness) {
  auto tx = paying({0x51});
  tx.inputs[0].witness = {from_hex("aabbccdd")};
  auto filter = filter_of({from_hex("aabbccdd")});
  EXPECT_FALSE(matches(tx, filter));
}

TEST(Matcher, UpdateAllInsertsEveryMatchedOutputAndNoOther) {
  const auto tx = decode_tx(from_hex(kTx));
  auto filter = filter_of({from_hex("04943fdd508053c75000106d3bc6e2754dbcff19")});
  ASSERT_TRUE(matches(tx, filter));
  EXPECT_TRUE(filter.contains(chain::OutPoint{.txid = tx.txid(), .index = 0}.bytes()));
  EXPECT_FALSE(filter.contains(chain::OutPoint{.txid = tx.txid(), .index = 1}.bytes()));
}

TEST(Matcher, AMatchByTxidStillInsertsTheOutputs) {
  const auto tx = decode_tx(from_hex(kTx));
  auto filter = filter_of({util::to_bytes(tx.txid().view()), from_hex("a266436d2965547608b9e15d9032a7b9d64fa431")});
  ASSERT_TRUE(matches(tx, filter));
  EXPECT_TRUE(filter.contains(chain::OutPoint{.txid = tx.txid(), .index = 1}.bytes()));
}

TEST(Matcher, UpdateNoneInsertsNothing) {
  const auto hash = from_hex("04943fdd508053c75000106d3bc6e2754dbcff19");
  const auto before = filter_of({hash}, UpdateFlags::None);
  auto filter = before;
  EXPECT_TRUE(matches(decode_tx(from_hex(kTx)), filter));
  EXPECT_EQ(filter, before);
}

TEST(Matcher, P2PubkeyOnlyInsertsForKeysAndBareMultisig) {
  const auto flags = UpdateFlags::P2PubkeyOnly;
  const auto short_key = key(2, 33);
  const auto long_key = key(4, 65);
  EXPECT_TRUE(output_is_inserted(script({push(short_key), {0xAC}}), short_key, flags));
  EXPECT_TRUE(output_is_inserted(script({push(long_key), {0xAC}}), long_key, flags));
  EXPECT_TRUE(output_is_inserted(script({{0x51}, push(short_key), push(long_key), {0x52, 0xAE}}), short_key, flags));

  const auto hash = key(9, 20);
  EXPECT_FALSE(output_is_inserted(script({{0x76, 0xA9}, push(hash), {0x88, 0xAC}}), hash, flags)) << "P2PKH";
  EXPECT_FALSE(output_is_inserted(script({{0xA9}, push(hash), {0x87}}), hash, flags)) << "P2SH";
  EXPECT_FALSE(output_is_inserted(script({{0x00}, push(hash)}), hash, flags)) << "P2WPKH";
}

TEST(Matcher, P2PubkeyOnlyFollowsTheFormsOfCoresSolver) {
  const auto flags = UpdateFlags::P2PubkeyOnly;
  const auto good = key(3, 33);
  const auto inserted = [&](const std::vector<util::Bytes>& pieces, const util::Bytes& element) {
    return output_is_inserted(script(pieces), element, flags);
  };
  EXPECT_TRUE(inserted({push(key(6, 65)), {0xAC}}, key(6, 65))) << "hybrid key";
  EXPECT_FALSE(inserted({push(key(5, 33)), {0xAC}}, key(5, 33))) << "no such key";
  EXPECT_FALSE(inserted({push(key(4, 33)), {0xAC}}, key(4, 33))) << "key of the wrong length";
  EXPECT_FALSE(inserted({{0x4C}, push(good), {0xAC}}, good)) << "pushed by OP_PUSHDATA1";
  EXPECT_FALSE(inserted({push(good), {0xAC, 0xAC}}, good)) << "more behind it";
  EXPECT_FALSE(inserted({push(good)}, good));
  EXPECT_FALSE(inserted({{0x51}, push(good), {0x52, 0xAE}}, good)) << "two keys claimed, one there";
  EXPECT_FALSE(inserted({{0x52}, push(good), {0x51, 0xAE}}, good)) << "two signatures of one key";
  EXPECT_FALSE(inserted({{0x00}, push(good), {0x51, 0xAE}}, good)) << "no signature";
  EXPECT_FALSE(inserted({{0x51}, push(good), {0x51, 0xAE, 0x61}}, good)) << "more behind it";
  EXPECT_FALSE(inserted({{0x51}, push(good), {0x51, 0xAF}}, good)) << "another opcode";
  EXPECT_TRUE(inserted({{0x51, 0x4C}, push(good), {0x51, 0xAE}}, good)) << "keys of a multisig may be pushed anyhow";

  std::vector<util::Bytes> seventeen{{0x51}};
  for (int i = 0; i < 17; ++i) seventeen.push_back(push(good));
  seventeen.push_back({0x01, 17, 0xAE});
  EXPECT_TRUE(inserted(seventeen, good)) << "counts above 16 are pushed as a number";
  seventeen.back() = {0x02, 17, 0x00, 0xAE};
  EXPECT_FALSE(inserted(seventeen, good)) << "not in a longer form";
  EXPECT_FALSE(inserted({{0x01, 0x01}, push(good), {0x51, 0xAE}}, good)) << "not where an opcode would do";
}

TEST(Matcher, FindsAChainOfSpendsWithinABlockByUpdateAll) {
  const auto block = test::parse_block(test::small_block_bytes());
  const auto element = from_hex(
      "044a656f065871a353f216ca26cef8dde2f03e8c16202d2e8ad769f02032cb86a5eb5e56842e92e19141d60a01928f8dd2c875a390f67c1f"
      "6c94cfc617c0ea45af");
  auto all = filter_of({element});
  EXPECT_EQ(test::filter_block(block, all).matched, (std::vector<bool>{false, true, true, true}));
  auto none = filter_of({element}, UpdateFlags::None);
  EXPECT_EQ(test::filter_block(block, none).matched, (std::vector<bool>{false, true, false, true}));
}

TEST(FilterMirror, HoldsWhatTheNodesFilterHolds) {
  const auto block = test::parse_block(test::small_block_bytes());
  auto node = filter_of({from_hex("703bb9ec7ab4f56d9e417a53ac19cef9c53513dc0352b9734e012d799ffe80e9")});
  FilterMirror mirror(node);
  const auto delivered = test::filter_block(block, node);
  for (std::size_t i = 0; i < block.txs.size(); ++i) {
    if (!delivered.matched[i]) continue;
    EXPECT_TRUE(mirror.replay(block.txs[i], block.txids[i]));
  }
  EXPECT_EQ(mirror.filter(), node);
  EXPECT_EQ(mirror.fp_rate(), node.fp_rate());
  EXPECT_FALSE(mirror.replay(block.txs[3], block.txids[3])) << "not asked for";
}

TEST(Matcher, MatchesTheTransactionsOfCoresVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip37/core_bloom.json");
  const auto file = test::read_json(path);
  const auto& part = file.at("tx_match").as_object();
  const auto tx = decode_tx(hex(part.at("tx")));
  const auto spending = decode_tx(hex(part.at("spending_tx")));
  for (const auto& row : part.at("cases").as_array()) {
    BloomFilter filter(
        design_filter(part.at("elements").to_number<std::size_t>(), part.at("fp_rate").to_number<double>()),
        part.at("tweak").to_number<std::uint32_t>(), static_cast<UpdateFlags>(part.at("flags").to_number<int>()));
    filter.insert(hex(row.at("insert")));
    EXPECT_EQ(matches(tx, filter), row.at("matches_tx").as_bool()) << row.at("element_is");
    if (const auto* then = row.as_object().if_contains("then_matches_spending_tx")) {
      EXPECT_EQ(matches(spending, filter), then->as_bool()) << row.at("element_is");
    }
  }
}

TEST(Matcher, AnswersWithTheMerkleblocksOfCoresVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip37/core_bloom.json");
  const auto file = test::read_json(path);
  for (const auto& value : file.at("blocks").as_array()) {
    const auto& row = value.as_object();
    const auto block = test::parse_block(hex(row.at("block")));
    BloomFilter filter(
        design_filter(row.at("elements").to_number<std::size_t>(), row.at("fp_rate").to_number<double>()),
        row.at("tweak").to_number<std::uint32_t>(), static_cast<UpdateFlags>(row.at("flags").to_number<int>()));
    for (const auto& step : row.at("steps").as_array()) {
      for (const auto& element : step.at("insert").as_array()) filter.insert(hex(element));
      const auto answer = test::filter_block(block, filter);
      EXPECT_EQ(answer.proof, test::parse_merkle_block(hex(step.at("merkleblock")))) << row.at("name");
      EXPECT_EQ(test::payload(filter), hex(step.at("filter_after"))) << row.at("name");
    }
    if (const auto* after = row.if_contains("afterwards_contains")) {
      for (const auto& probe : after->as_array()) {
        EXPECT_EQ(filter.contains(hex(probe.at("element"))), probe.at("contains").as_bool()) << row.at("name");
      }
    }
  }
}

}  // namespace
}  // namespace spv::bip37
