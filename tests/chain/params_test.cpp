#include "chain/params.h"

#include <string>

#include <gtest/gtest.h>

#include "chain/pow.h"
#include "tests/support/vectors.h"
#include "util/hex.h"

namespace spv::chain {
namespace {

constexpr std::array kAllNetworks = {Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet,
                                     Network::Regtest};

class EveryNetwork : public testing::TestWithParam<Network> {
 protected:
  const NetworkParams& network() { return params(GetParam()); }
};

TEST_P(EveryNetwork, HasAGenesisThatHashesToItsHash) { EXPECT_EQ(network().genesis.hash(), network().genesis_hash); }

TEST_P(EveryNetwork, HasAGenesisWithProofOfWork) {
  EXPECT_TRUE(check_proof_of_work(network().genesis_hash, network().genesis.bits, network()));
}

TEST_P(EveryNetwork, HasALimitThatItsLimitBitsAreTheCompactFormOf) {
  EXPECT_EQ(encode_bits(network().pow_limit), network().pow_limit_bits);
  EXPECT_EQ(network().genesis.bits, network().pow_limit_bits);
}

TEST_P(EveryNetwork, IsFoundByItsName) { EXPECT_EQ(parse_network(network().name), GetParam()); }

TEST_P(EveryNetwork, HasAscendingCheckpoints) {
  for (std::size_t i = 1; i < network().checkpoints.size(); ++i) {
    EXPECT_LT(network().checkpoints[i - 1].height, network().checkpoints[i].height);
  }
}

INSTANTIATE_TEST_SUITE_P(Params, EveryNetwork, testing::ValuesIn(kAllNetworks),
                         [](const auto& test) { return std::string(params(test.param).name); });

TEST(Params, RefusesOtherNames) {
  for (const auto* name : {"", "mainnet", "Main", "testnet3", "regtest "}) EXPECT_FALSE(parse_network(name)) << name;
}

TEST(Params, HaveTheMagicOfTheWire) {
  EXPECT_EQ(params(Network::Main).magic, (std::array<std::uint8_t, 4>{0xF9, 0xBE, 0xB4, 0xD9}));
  EXPECT_EQ(params(Network::Regtest).magic, (std::array<std::uint8_t, 4>{0xFA, 0xBF, 0xB5, 0xDA}));
}

TEST(Params, OnlyMainnetAndSignetForbidMinimumDifficulty) {
  for (const Network network : kAllNetworks) {
    const bool strict = network == Network::Main || network == Network::Signet;
    EXPECT_EQ(params(network).allow_min_difficulty_blocks, !strict);
    EXPECT_EQ(params(network).enforce_bip94, network == Network::Testnet4);
    EXPECT_EQ(params(network).no_retargeting, network == Network::Regtest);
  }
}

std::string_view text(const boost::json::value& value) { return value.as_string(); }

void expect_same_chain_facts(const NetworkParams& ours, const boost::json::object& facts) {
  EXPECT_EQ(util::to_hex(ours.magic), text(facts.at("magic")));
  EXPECT_EQ(ours.default_port, facts.at("port").as_int64());
  EXPECT_EQ(util::to_hex(ours.genesis.bytes()), text(facts.at("genesis_header")));
  EXPECT_EQ(util::to_string(ours.genesis_hash), text(facts.at("genesis_hash")));
  EXPECT_EQ(ours.pow_limit.to_hex(), text(facts.at("pow_limit")));
  EXPECT_EQ(ours.allow_min_difficulty_blocks, facts.at("min_difficulty_blocks").as_bool());
  EXPECT_EQ(ours.no_retargeting, facts.at("no_retarget").as_bool());
  EXPECT_EQ(ours.enforce_bip94, facts.at("bip94").as_bool());
  EXPECT_EQ(ours.minimum_chain_work.to_hex(), text(facts.at("minimum_chain_work")));
  EXPECT_EQ(ours.bip34_height, facts.at("bip34_height").as_int64());
  EXPECT_EQ(ours.bip66_height, facts.at("bip66_height").as_int64());
  EXPECT_EQ(ours.bip65_height, facts.at("bip65_height").as_int64());
}

void expect_same_address_facts(const NetworkParams& ours, const boost::json::object& facts) {
  EXPECT_EQ(ours.p2pkh_prefix, facts.at("p2pkh_prefix").as_int64());
  EXPECT_EQ(ours.p2sh_prefix, facts.at("p2sh_prefix").as_int64());
  EXPECT_EQ(ours.wif_prefix, facts.at("wif_prefix").as_int64());
  EXPECT_EQ(ours.xpub_version, std::stoul(std::string(text(facts.at("xpub_version"))), nullptr, 16));
  EXPECT_EQ(ours.xprv_version, std::stoul(std::string(text(facts.at("xprv_version"))), nullptr, 16));
  EXPECT_EQ(ours.bech32_hrp, text(facts.at("bech32_hrp")));
  EXPECT_EQ(ours.bip44_coin_type, facts.at("bip44_coin_type").as_int64());
}

void expect_contains(std::span<const Checkpoint> ours, const boost::json::object& facts) {
  std::size_t found = 0;
  for (const auto& checkpoint : ours) {
    const auto* hash = facts.if_contains(std::to_string(checkpoint.height));
    if (hash == nullptr) continue;
    EXPECT_EQ(util::to_string(checkpoint.hash), text(*hash));
    ++found;
  }
  EXPECT_EQ(found, facts.size());
}

TEST(Params, AreThoseOfThePublicTable) {
  SPV_VECTOR_FILE_OR_SKIP(path, "networks.json");
  const auto table = test::read_json(path);
  for (const auto& [name, facts] : table.as_object()) {
    const auto network = parse_network(name == "mainnet" ? "main" : name == "testnet3" ? "testnet" : std::string(name));
    ASSERT_TRUE(network) << name;
    SCOPED_TRACE(params(*network).name);
    expect_same_chain_facts(params(*network), facts.as_object());
    expect_same_address_facts(params(*network), facts.as_object());
    const auto* old = facts.as_object().if_contains("old_core_checkpoints");
    if (old != nullptr) expect_contains(params(*network).checkpoints, old->as_object());
  }
}

}  // namespace
}  // namespace spv::chain
