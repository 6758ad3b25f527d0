// Reading and writing PSBTs: the vectors of the BIPs and of Bitcoin Core, and each way to be malformed.
#include "wallet/spend/psbt.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/tx_builder.h"
#include "tests/support/vectors.h"
#include "util/base64.h"
#include "wallet/spend/psbt_fields.h"

namespace spv::wallet::spend {
namespace {

using Code = PsbtErrorCode;

util::Expected<Psbt, PsbtError> read_text(std::string_view text) { return read_psbt(util::as_bytes(text)); }

void expect_round_trip(std::string_view text, std::string_view name) {
  const auto psbt = read_text(text);
  ASSERT_TRUE(psbt) << name << ": " << psbt.error().message;
  EXPECT_EQ(to_base64(*psbt), text) << name;
  for (const std::uint32_t version : {0U, 2U}) {
    const auto other = to_version(*psbt, version);
    const auto again = parse_psbt(serialize(other));
    ASSERT_TRUE(again) << name << " as version " << version << ": " << again.error().message;
    EXPECT_EQ(*again, other) << name;
    EXPECT_EQ(again->tx, psbt->tx) << name;
  }
}

void expect_refused(std::string_view text, std::string_view name) {
  const auto psbt = read_text(text);
  ASSERT_FALSE(psbt) << name;
  EXPECT_FALSE(psbt.error().message.empty());
}

class PsbtVectors : public ::testing::TestWithParam<const char*> {};

TEST_P(PsbtVectors, AreReadOrRefused) {
  SPV_VECTOR_FILE_OR_SKIP(path, GetParam());
  std::map<std::string, int> seen;
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    const std::string section(row.at("section").as_string());
    const std::string_view text(row.at("psbt").as_string());
    const std::string_view name(row.at("case").as_string());
    ++seen[section];
    if (section == "invalid") expect_refused(text, name);
    if (section == "valid" || section == "fails-signer" || section == "locktime") expect_round_trip(text, name);
  }
  EXPECT_GE(seen["invalid"], 8);
  EXPECT_GE(seen["valid"], 4);
}

INSTANTIATE_TEST_SUITE_P(Bips, PsbtVectors,
                         ::testing::Values("psbt/bip174.json", "psbt/bip370.json", "psbt/bip371.json"));

TEST(Psbt, ReadsTheVectorsOfBitcoinCore) {
  SPV_VECTOR_FILE_OR_SKIP(path, "psbt/rpc_psbt.json");
  const auto file = test::read_json(path);
  int number = 0;
  for (const auto& text : file.at("invalid").as_array()) {
    expect_refused(text.as_string(), "invalid " + std::to_string(number++));
  }
  for (const auto& row : file.at("invalid_with_msg").as_array()) {
    expect_refused(row.at(0).as_string(), row.at(1).as_string());
  }
  number = 0;
  for (const auto& text : file.at("valid").as_array()) {
    expect_round_trip(text.as_string(), "valid " + std::to_string(number++));
  }
}

TEST(Psbt, ComputesTheLockTimeByBip370) {
  SPV_VECTOR_FILE_OR_SKIP(path, "psbt/bip370.json");
  std::vector<std::uint32_t> found;
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    if (row.at("section").as_string() != "locktime") continue;
    found.push_back(read_text(row.at("psbt").as_string()).value().tx.lock_time);
  }
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, 10'000, 10'000, 10'000, 1'657'048'460, 1'657'048'460}));
}

}  // namespace
}  // namespace spv::wallet::spend
