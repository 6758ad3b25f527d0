// Wallets of every script form below one seed, and payments from them, for the tests of signing and checking.
#pragma once

#include <string>
#include <vector>

#include "util/ensure.h"
#include "util/hash.h"
#include "util/hex.h"
#include "util/rng.h"
#include "wallet/account.h"
#include "wallet/spend/seed_keys.h"
#include "wallet/spend/sighash.h"
#include "wallet/spend/signer.h"
#include "wallet/spend/solution.h"

namespace spv::wallet::spend::test {

inline const chain::NetworkParams& params() { return chain::params(chain::Network::Regtest); }

inline ExtendedPrivateKey master(unsigned number = 1) {
  const util::Bytes seed(32, static_cast<std::uint8_t>(number));
  const auto key = ExtendedPrivateKey::from_seed(seed);
  util::ensure(key.has_value(), "every sample seed has a key");
  return *key;
}

/// "[fingerprint/path]tpub/0/*" below a master key.
inline std::string key_text(const ExtendedPrivateKey& root, const KeyPath& path) {
  const auto key = root.descend(path);
  return '[' + util::to_hex(root.fingerprint()) + to_string(path) + ']' + key->to_public().to_string(params()) + "/0/*";
}

inline Descriptor descriptor(const std::string& text) {
  const auto parsed = Descriptor::parse(text, params());
  util::ensure(parsed.has_value() && parsed->size() == 1, "a sample descriptor parses");
  return parsed->front();
}

/// All forms that can be signed; keys A, B and C are of one seed.
inline std::vector<std::string> all_forms() {
  const auto root = master();
  const std::string a = key_text(root, {84 | kHardened, 0});
  const std::string b = key_text(root, {48 | kHardened, 1 | kHardened});
  const std::string c = key_text(root, {7});
  const std::string three = a + ',' + b + ',' + c;
  return {"pk(" + a + ")",
          "pkh(" + a + ")",
          "wpkh(" + a + ")",
          "sh(wpkh(" + a + "))",
          "tr(" + a + ")",
          "multi(1," + a + ',' + b + ")",
          "sortedmulti(2," + three + ")",
          "sh(multi(2," + three + "))",
          "sh(pk(" + a + "))",
          "sh(pkh(" + a + "))",
          "wsh(multi(2," + three + "))",
          "wsh(sortedmulti(3," + three + "))",
          "wsh(pk(" + a + "))",
          "wsh(pkh(" + a + "))",
          "sh(wsh(multi(2," + three + ")))",
          "sh(wsh(sortedmulti(2," + three + ")))",
          "sh(wsh(pk(" + a + ")))",
          "sh(wsh(pkh(" + a + ")))"};
}

/// A payment of some coins to a stranger, with change; not signed yet.
struct Payment {
  chain::Transaction tx;
  std::vector<chain::TxOutput> spent;
  std::vector<Solution> solutions;
};

inline chain::OutPoint outpoint(std::uint64_t number) {
  return {util::retag<chain::Txid>(util::sha256(util::Writer().integer(number).data())),
          static_cast<std::uint32_t>(number % 5)};
}

inline Payment payment(const std::vector<Descriptor>& coins, util::Rng& rng, chain::Amount fee = 20'000) {
  Payment out;
  chain::Amount sum = 0;
  for (const auto& descriptor : coins) {
    auto solution = solve(descriptor, static_cast<std::uint32_t>(rng.below(100)));
    util::ensure(solution.has_value(), "a sample descriptor can be spent");
    chain::TxInput input;
    input.previous = outpoint(rng.next());
    input.sequence = 0xFFFF'FFFD;
    out.tx.inputs.push_back(std::move(input));
    out.spent.push_back({1'000'000 + static_cast<chain::Amount>(rng.below(1'000'000)), solution->script_pubkey});
    sum += out.spent.back().value;
    out.solutions.push_back(std::move(*solution));
  }
  out.tx.outputs.push_back({500'000, util::Bytes{0x00, 0x14}});
  const auto hash = rng.bytes(20);
  auto& script = out.tx.outputs[0].script_pubkey;
  script.insert(script.end(), hash.begin(), hash.end());
  out.tx.outputs.push_back({sum - 500'000 - fee, descriptor(all_forms()[2]).script_at(7).value()});
  return out;
}

/// Signs all inputs; false if one cannot be.
inline bool sign_all(Payment& payment, const SigningKeys& keys) {
  const SighashData data(payment.tx, payment.spent);
  std::vector<std::vector<KeySignature>> signatures;
  for (std::size_t i = 0; i < payment.tx.inputs.size(); ++i) {
    signatures.push_back(sign_input(data, i, payment.solutions[i], keys));
  }
  for (std::size_t i = 0; i < payment.tx.inputs.size(); ++i) {
    if (!finish_input(payment.tx.inputs[i], payment.solutions[i], signatures[i])) return false;
  }
  return true;
}

/// A signature of any sighash type by one key of an input; empty for a type that taproot does not have.
inline util::Bytes signature_of_type(const Payment& payment, std::uint8_t type, std::size_t key = 0,
                                     std::size_t input = 0) {
  const SeedKeys keys(master());
  const SighashData data(payment.tx, payment.spent);
  const Solution& solution = payment.solutions[input];
  util::Bytes out;
  if (solution.form == SpendForm::Tr) {
    const auto digest = data.taproot(input, type);
    if (!digest) return {};
    out = util::to_bytes(keys.schnorr(solution.keys[key], *digest).value());
    if (type == kSighashDefault) return out;
  } else {
    const auto code = script_code(solution);
    const auto digest = solution.is_segwit() ? data.segwit_v0(input, code, type) : data.legacy(input, code, type);
    out = keys.ecdsa(solution.keys[key], digest).value();
  }
  out.push_back(type);
  return out;
}

}  // namespace spv::wallet::spend::test
