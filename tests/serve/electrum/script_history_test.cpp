#include "serve/electrum/script_history.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "util/hex.h"

namespace spv::serve::electrum {
namespace {

HistoryLine line(const char* txid, chain::Height height, std::uint32_t index = 0) {
  return {.txid = util::parse_hash<chain::Txid>(txid).value(), .height = height, .index = index};
}

// The example of the protocol's documentation (Protocol Basics, Status).
TEST(ElectrumStatus, IsThatOfTheProtocolsExample) {
  std::vector<HistoryLine> lines{
      line("bb4c8ab438c13b89ca80d1d5bee25b0b6b7f55673f4d801998ba97db161d9e85", kUnconfirmedParent),
      line("e02a1dadfa83b996b24175df807b271ea5d02937ef5b35c195fac1e1bdc3198f", kUnconfirmed),
      line("770f2d4371b3fabb902dd9a103e2dd005fcd3971181078fca4a2a1d6ff127b30", 2'473, 2),
      line("80b19848aed792565ab7c5a79b7c2a00fbf985741579396ebe0ab6098e607311", kUnconfirmed),
      line("9c42f84b2fcdaff676ba25d9d4941741cc0d1a01cce0c23fdc4c0b2afa38431c", 2'473, 1),
      line("a6c9c361bd0bc536d6a22648efbf8f9b200e425ef6c3a7a9669dc444c532a347", 2'472, 1)};
  std::ranges::sort(lines, comes_before);
  const auto status = status_of(lines);
  ASSERT_TRUE(status);
  EXPECT_EQ(util::to_hex(status->view()), "78e96c6562cafa71c115503b9411fdfdc595a45031e2ab76ff75162fe1b0590d");
  EXPECT_FALSE(status_of({}));
}

// The example of the protocol's documentation (Protocol Basics, Script Hashes).
TEST(ElectrumStatus, HashesScriptsAsTheProtocolDoes) {
  const auto script = util::from_hex("76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac").value();
  EXPECT_EQ(util::to_string(hash_of_script(script)),
            "8b01df4e368ea28f8dc0423bcf7a4923e3a12d307c875e47a0cfbf90b5c39161");
}

TEST(ElectrumStatus, BalanceCountsWhatIsSpentUnconfirmed) {
  using Spent = PaidOutput::Spent;
  const auto output = [](chain::Amount value, chain::Height height, Spent spent) {
    return PaidOutput{.outpoint = {}, .value = value, .height = height, .spent = spent};
  };
  const auto sums =
      balance_of({output(1, 5, Spent::No), output(20, 5, Spent::Confirmed), output(300, 5, Spent::Unconfirmed),
                  output(4'000, 0, Spent::No), output(50'000, 0, Spent::Unconfirmed)});
  EXPECT_EQ(sums.confirmed, 301);
  EXPECT_EQ(sums.unconfirmed, 4'000 - 300);
}

TEST(ElectrumStatus, WhatTwoWalletsKnowIsOneHistory) {
  const auto one = line("bb4c8ab438c13b89ca80d1d5bee25b0b6b7f55673f4d801998ba97db161d9e85", kUnconfirmed);
  auto later = one;
  later.height = 7;
  const auto other = line("e02a1dadfa83b996b24175df807b271ea5d02937ef5b35c195fac1e1bdc3198f", 6);
  const ScriptHistory a{.lines = {one}, .outputs = {{.outpoint = {one.txid, 0}, .value = 5}}};
  const ScriptHistory b{.lines = {other, later}, .outputs = {{.outpoint = {one.txid, 0}, .value = 5, .height = 7}}};
  const auto both = merged({&a, &b});
  EXPECT_EQ(both.lines, (std::vector<HistoryLine>{other, later}));
  ASSERT_EQ(both.outputs.size(), 1U);
  EXPECT_EQ(both.outputs.front().height, 7);
}

}  // namespace
}  // namespace spv::serve::electrum
