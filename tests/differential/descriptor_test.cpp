// Descriptors against a second implementation of checksum, derivation and scripts.
#include "wallet/descriptor.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/differential/cases.h"
#include "tests/differential/reference_keys.h"
#include "tests/differential/reference_text.h"
#include "wallet/address.h"
#include "wallet/extended_key.h"

namespace spv::test {
namespace {

using chain::Network;

/// An extended key below which scripts are derived: its text, and what the second implementation makes of it.
struct Key {
  std::string expression;  // "xpub.../3/7/*"
  util::Bytes at_index;
};

Key random_key(util::Rng& rng, const chain::NetworkParams& params, std::uint32_t index) {
  wallet::PrivateKey secret;
  const auto bytes = rng.bytes(32);
  std::copy(bytes.begin(), bytes.end(), secret.bytes.begin());
  secret.bytes[0] &= 0x7F;
  secret.bytes[31] |= 1;
  wallet::ChainCode chain_code{};
  const auto code = rng.bytes(32);
  std::copy(code.begin(), code.end(), chain_code.begin());
  const wallet::ExtendedPublicKey key(*wallet::PublicKey::of(secret), chain_code,
                                      {.depth = 3, .parent = {1, 2, 3, 4}, .child_number = 5});
  Key out{.expression = key.to_string(params), .at_index = {}};
  auto node = *reference::read_xpub(out.expression);
  if (rng.below(4) == 0) out.expression = "[01020304/84h/0h/7h]" + out.expression;
  if (rng.below(3) == 0) {
    const auto step = static_cast<std::uint32_t>(rng.below(1ULL << 31U));
    out.expression += "/" + std::to_string(step);
    node = reference::child(node, step);
  }
  out.expression += "/*";
  out.at_index = reference::child(node, index).key;
  return out;
}

struct Sample {
  std::string text;
  util::Bytes script;
};

Sample random_multi(util::Rng& rng, const chain::NetworkParams& params, std::uint32_t index) {
  const bool sorted = rng.below(2) == 0;
  const auto keys = 1 + rng.below(3);
  const auto required = static_cast<unsigned>(1 + rng.below(keys));
  std::string text = (sorted ? "sortedmulti(" : "multi(") + std::to_string(required);
  std::vector<util::Bytes> derived;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const auto key = random_key(rng, params, index);
    text += "," + key.expression;
    derived.push_back(key.at_index);
  }
  return {text + ")", reference::multi(required, derived, sorted)};
}

Sample random_sample(util::Rng& rng, const chain::NetworkParams& params, std::uint32_t index) {
  const auto choice = rng.below(8);
  if (choice >= 6) {
    const auto inner = random_multi(rng, params, index);
    if (choice == 6) return {"wsh(" + inner.text + ")", reference::wsh(inner.script)};
    return {"sh(wsh(" + inner.text + "))", reference::sh(reference::wsh(inner.script))};
  }
  const auto key = random_key(rng, params, index);
  switch (choice) {
    case 0:
      return {"pkh(" + key.expression + ")", reference::pkh(key.at_index)};
    case 1:
      return {"wpkh(" + key.expression + ")", reference::wpkh(key.at_index)};
    case 2:
      return {"sh(wpkh(" + key.expression + "))", reference::sh(reference::wpkh(key.at_index))};
    case 3:
      return {"tr(" + key.expression + ")", reference::tr(key.at_index)};
    case 4:
      return {"pk(" + key.expression + ")", reference::pk(key.at_index)};
    default:
      return {"wsh(pkh(" + key.expression + "))", reference::wsh(reference::pkh(key.at_index))};
  }
}

// Curve arithmetic the slow way: fewer cases.
TEST(Differential, DescriptorsGiveTheScriptsOfASecondImplementation) {
  const auto cases = differential_cases(400, 50'000);
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    const auto& params = chain::params(rng.below(2) == 0 ? Network::Main : Network::Regtest);
    const auto index = static_cast<std::uint32_t>(rng.below(1ULL << (1 + rng.below(31))));
    const auto sample = random_sample(rng, params, index);
    const auto text = sample.text + "#" + reference::descriptor_checksum(sample.text);
    const auto parsed = wallet::Descriptor::parse(text, params);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    ASSERT_EQ(parsed->size(), 1U);
    ASSERT_EQ(parsed->front().script_at(index), sample.script) << text << " at " << index;
    ASSERT_EQ(wallet::address_of_script(sample.script, params), reference::address_of(sample.script, params)) << text;
  }
}

TEST(Differential, DescriptorChecksumsAreThoseOfASecondImplementation) {
  constexpr std::string_view kAlphabet =
      "0123456789()[],'/*abcdefgh@:$%{}IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~ijklmnopqrstuvwxyzABCDEFGH`\"\\ ";
  const auto cases = differential_cases(20'000);
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    std::string text;
    for (std::uint64_t n = rng.below(60); n > 0; --n) text += kAlphabet[rng.below(kAlphabet.size())];
    ASSERT_EQ(wallet::descriptor_checksum(text), reference::descriptor_checksum(text)) << text;
  }
}

}  // namespace
}  // namespace spv::test
