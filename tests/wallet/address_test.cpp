#include "wallet/address.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"
#include "wallet/descriptor.h"

namespace spv::wallet {
namespace {

using chain::Network;
using chain::params;
using testing::HasSubstr;
using util::Bytes;
using Kind = AddressError::Kind;

util::Bytes hex(std::string_view text) { return test::hex(text); }

constexpr std::array kNetworks{Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet, Network::Regtest};

AddressError refused(std::string_view address, Network network = Network::Main) {
  const auto script = script_of_address(address, params(network));
  EXPECT_FALSE(script) << address;
  return script ? AddressError{} : script.error();
}

TEST(Address, GoesBothWaysForEveryForm) {
  const auto check = [](std::string_view address, std::string_view script, Network network) {
    const auto found = script_of_address(address, params(network));
    ASSERT_TRUE(found) << address << ": " << found.error().message;
    EXPECT_EQ(*found, hex(script));
    EXPECT_EQ(address_of_script(*found, params(network)), address);
  };
  check("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "76a914d986ed01b7a22225a70edbf2ba7cfb63a15cb3aa88ac", Network::Main);
  check("37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf", "a9143fb6e95812e57bb4691f9a4a628862a61a4f769b87", Network::Main);
  check("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "0014751e76e8199196d454941c45d1b3a323f1433bd6", Network::Main);
  check("bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
        "5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c", Network::Main);
  check("n4fajahJrAuKbN7uNsKjLjQkz9Qn5ewJXQ", "76a914fdeca3b08e38af53d7c4c60e3ad208ce5066441088ac", Network::Regtest);
  check("2MxFajLApXpYk4VodBSZSt7rw8y4ryABkfA", "a91436e9f191e0b75036a77f65e2eaa4752443233fbe87", Network::Signet);
}

TEST(Address, TakesBech32InUpperCase) {
  const auto script = script_of_address("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", params(Network::Main));
  ASSERT_TRUE(script);
  EXPECT_EQ(*script, hex("0014751e76e8199196d454941c45d1b3a323f1433bd6"));
}

TEST(Address, W13_AnAddressOfAnotherNetworkNamesThatNetwork) {
  const auto bech32 = refused("tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7");
  EXPECT_EQ(bech32.kind, Kind::WrongNetwork);
  EXPECT_THAT(bech32.message, HasSubstr("testnet, testnet4 or signet"));
  EXPECT_THAT(bech32.message, HasSubstr("main"));
  const auto regtest = refused("bcrt1qjqmxmkpmxt80xz4y3746zgt0q3u3ferr34acd5", Network::Testnet3);
  EXPECT_EQ(regtest.kind, Kind::WrongNetwork);
  EXPECT_THAT(regtest.message, HasSubstr("regtest"));
  const auto base58 = refused("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", Network::Regtest);
  EXPECT_EQ(base58.kind, Kind::WrongNetwork);
  EXPECT_THAT(base58.message, HasSubstr("of main"));
}

TEST(Address, W13_AMistypedAddressSaysThatItsChecksumIsWrong) {
  EXPECT_EQ(refused("1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabB").kind, Kind::BadChecksum);
  EXPECT_EQ(refused("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5").kind, Kind::BadChecksum);
  EXPECT_EQ(refused("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t").kind, Kind::BadChecksum);
}

TEST(Address, W13_MixedCaseIsNamed) {
  EXPECT_EQ(refused("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4").kind, Kind::MixedCase);
}

TEST(Address, W12_HostileTextsAreRefused) {
  EXPECT_EQ(refused("").kind, Kind::Malformed);
  EXPECT_EQ(refused("hello world").kind, Kind::Malformed);
  EXPECT_EQ(refused(std::string(1'000'000, '1')).kind, Kind::Malformed);
  EXPECT_EQ(refused("bc1" + std::string(1'000'000, 'q')).kind, Kind::Malformed);
  EXPECT_EQ(refused(std::string_view("bc1q\0w508", 9)).kind, Kind::Malformed);
  EXPECT_EQ(refused("L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1").kind, Kind::Malformed);
}

TEST(Address, W15_AProgramThatNoRuleAllowsIsRefused) {
  EXPECT_EQ(refused("BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P").kind, Kind::BadProgram);  // version 0, 16 bytes
  EXPECT_EQ(refused("bc1pw5dgrnzv").kind, Kind::BadProgram);                          // one byte
  EXPECT_EQ(refused("tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf", Network::Testnet3).kind,
            Kind::BadChecksum);  // version 2 with the old checksum
}

TEST(Address, APrefixOfAnotherCoinIsNamed) {
  const auto error = refused("tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty");
  EXPECT_EQ(error.kind, Kind::WrongNetwork);
  EXPECT_THAT(error.message, HasSubstr("\"tc\""));
}

TEST(Address, ScriptsWithoutAnAddressHaveNone) {
  EXPECT_FALSE(address_of_script(hex("6a0401020304"), params(Network::Main)));
  EXPECT_FALSE(address_of_script(hex("210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798ac"),
                                 params(Network::Main)));
  EXPECT_FALSE(address_of_script(hex("00020102"), params(Network::Main)));
  EXPECT_FALSE(address_of_script({}, params(Network::Main)));
}

RC_GTEST_PROP(Address, EveryTextIsAnAddressOrAReason, (const std::string& text)) {
  for (const auto network : kNetworks) {
    const auto script = script_of_address(text, params(network));
    if (!script) RC_ASSERT(!script.error().message.empty());
  }
}

std::string flipped_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::islower(c) != 0 ? std::toupper(c) : std::tolower(c));
  return out;
}

Network network_named(std::string_view name) {
  return name == "test" ? Network::Testnet3 : chain::parse_network(name).value();
}

TEST(Address, CoreValidKeysAndAddresses) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/key_io_valid.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    const std::string_view text = row.at(0).as_string();
    const auto& facts = row.at(2).as_object();
    const auto& network = params(network_named(std::string_view(facts.at("chain").as_string())));
    const auto script = script_of_address(text, network);
    // A private key must never pass as an address; as a key it does, in a descriptor.
    if (facts.at("isPrivkey").as_bool()) {
      EXPECT_FALSE(script) << text;
      const auto descriptor = Descriptor::parse("pkh(" + std::string(text) + ")", network);
      ASSERT_TRUE(descriptor) << text << ": " << descriptor.error().message;
      const std::size_t hex_length = facts.at("isCompressed").as_bool() ? 66 : 130;
      EXPECT_EQ((*descriptor)[0].to_string().size(), hex_length + std::string_view("pkh()#").size() + 8) << text;
      continue;
    }
    ASSERT_TRUE(script) << text << ": " << script.error().message;
    EXPECT_EQ(*script, test::hex(row.at(1)));
    const bool any_case = facts.contains("tryCaseFlip") && facts.at("tryCaseFlip").as_bool();
    EXPECT_EQ(script_of_address(flipped_case(text), network).has_value(), any_case) << text;
  }
}

TEST(Address, W12_W13_CoreInvalidKeysAndAddressesAreRefusedOnEveryNetwork) {
  SPV_VECTOR_FILE_OR_SKIP(path, "core/key_io_invalid.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    const std::string_view text = row.at(0).as_string();
    for (const auto network : kNetworks) {
      EXPECT_FALSE(script_of_address(text, params(network))) << text;
      EXPECT_FALSE(Descriptor::parse("pkh(" + std::string(text) + ")", params(network))) << text;
    }
  }
}

}  // namespace
}  // namespace spv::wallet
