// Addresses of every form and network, whole and mistyped, against a second implementation.
#include "wallet/address.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/differential/cases.h"
#include "tests/differential/reference_text.h"
#include "tests/support/scripts.h"
#include "wallet/base58.h"
#include "wallet/bech32.h"

namespace spv::test {
namespace {

using chain::Network;

constexpr Network kNetworks[]{Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet, Network::Regtest};

util::Bytes random_script(util::Rng& rng) {
  switch (rng.below(6)) {
    case 0:
      return p2pkh(rng.bytes(20));
    case 1:
      return p2sh(rng.bytes(20));
    case 2:
      return p2wpkh(rng.bytes(20));
    case 3:
      return p2wsh(rng.bytes(32));
    case 4: {
      const auto program = rng.bytes(rng.below(44));
      const auto version = rng.below(19);
      return concat({op(static_cast<std::uint8_t>(version == 0 ? 0 : 0x50 + version)),
                     op(static_cast<std::uint8_t>(program.size())), program});
    }
    default: {
      auto script = p2pkh(rng.bytes(20));
      script[rng.below(script.size())] = static_cast<std::uint8_t>(rng.next());
      return script;
    }
  }
}

void mistype(std::string& text, util::Rng& rng) {
  constexpr std::string_view kTyped = "qpzry9x8gf2tvdw0s3jn54khce6mua7l1bio0OIlABCDEFGHQPZRY ";
  if (text.empty()) return;
  const std::size_t at = rng.below(text.size());
  const char typed = kTyped[rng.below(kTyped.size())];
  switch (rng.below(5)) {
    case 0:
      text.erase(at, 1);
      break;
    case 1:
      text.insert(at, 1, typed);
      break;
    case 2:
      for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      break;
    default:
      text[at] = typed;
      break;
  }
}

TEST(Differential, AddressesAreThoseOfASecondImplementation) {
  const auto cases = differential_cases(20'000);
  std::uint64_t taken = 0;
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    const auto& params = chain::params(kNetworks[rng.below(5)]);
    const auto script = random_script(rng);
    auto address = wallet::address_of_script(script, params);
    ASSERT_EQ(address, reference::address_of(script, params)) << "case " << number;
    if (!address) continue;
    for (std::uint64_t n = rng.below(3); n > 0; --n) mistype(*address, rng);
    const auto& other = rng.below(4) == 0 ? chain::params(kNetworks[rng.below(5)]) : params;
    const auto ours = wallet::script_of_address(*address, other);
    ASSERT_EQ(ours ? std::optional(*ours) : std::nullopt, reference::script_of(*address, other))
        << "case " << number << ": " << *address;
    if (ours) ++taken;
  }
  EXPECT_GT(taken, cases / 10);
}

TEST(Differential, Base58AndBech32AreThoseOfASecondImplementation) {
  const auto cases = differential_cases(10'000);
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    auto bytes = rng.bytes(rng.below(90));
    std::fill_n(bytes.begin(), std::min<std::size_t>(bytes.size(), rng.below(4)), std::uint8_t{0});
    auto text = wallet::base58_encode(bytes);
    ASSERT_EQ(text, reference::base58(bytes)) << "case " << number;
    if (rng.below(2) == 0) mistype(text, rng);
    const auto ours = wallet::base58_decode(text, 200);
    const auto theirs = reference::from_base58(text);
    ASSERT_EQ(ours.has_value(), theirs.has_value()) << text;
    const util::Bytes decoded = ours ? util::Bytes(ours->begin(), ours->end()) : util::Bytes();
    ASSERT_EQ(decoded, theirs.value_or(util::Bytes())) << text;

    reference::Bech32 parts{.m = rng.below(2) == 0, .prefix = {}, .values = rng.bytes(rng.below(70))};
    for (auto& value : parts.values) value %= 32;
    for (std::uint64_t n = 1 + rng.below(12); n > 0; --n) parts.prefix += static_cast<char>(91 + rng.below(36));
    const auto variant = parts.m ? wallet::Bech32Variant::Bech32m : wallet::Bech32Variant::Bech32;
    auto bech32 = wallet::bech32_encode(variant, parts.prefix, parts.values);
    ASSERT_EQ(bech32, reference::bech32(parts)) << "case " << number;
    if (rng.below(2) == 0) mistype(bech32, rng);
    const auto read = wallet::bech32_decode(bech32);
    const auto expected = reference::from_bech32(bech32);
    ASSERT_EQ(read.has_value(), expected.has_value()) << bech32;
    if (!read) continue;
    ASSERT_EQ(read->values, expected->values) << bech32;
    ASSERT_EQ(read->prefix, expected->prefix) << bech32;
    ASSERT_EQ(read->variant == wallet::Bech32Variant::Bech32m, expected->m) << bech32;
  }
}

}  // namespace
}  // namespace spv::test
