#include "bench/sync/test_wallet.h"

#include <secp256k1.h>

#include "chain/params.h"
#include "tests/support/scripts.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"
#include "wallet/account.h"
#include "wallet/extended_key.h"
#include "wallet/mnemonic.h"

namespace spv::bench {
namespace {

constexpr std::uint32_t kSighashAll = 1;

// BIP143 for one P2WPKH input and SIGHASH_ALL.
util::Hash256 signature_hash(const chain::Transaction& tx, util::ByteView key_hash, chain::Amount amount) {
  const auto& input = tx.inputs.front();
  util::Writer outputs;
  for (const auto& output : tx.outputs) outputs.integer(output.value).var_bytes(output.script_pubkey);
  util::Writer out;
  out.integer(tx.version);
  out.bytes(util::sha256d(input.previous.bytes()).view());
  out.bytes(util::sha256d(util::Writer().integer(input.sequence).data()).view());
  out.bytes(input.previous.bytes());
  out.var_bytes(test::p2pkh(key_hash)).integer(amount).integer(input.sequence);
  out.bytes(util::sha256d(outputs.data()).view());
  out.integer(tx.lock_time).integer(kSighashAll);
  return util::sha256d(out.data());
}

// DER, with the byte that names the kind of signature.
util::Bytes sign(const wallet::PrivateKey& key, const util::Hash256& hash) {
  static secp256k1_context* const context = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
  secp256k1_ecdsa_signature signature;
  util::ensure(secp256k1_ecdsa_sign(context, &signature, hash.bytes.data(), key.bytes.data(), nullptr, nullptr) == 1,
               "a valid key signs");
  util::Bytes out(72);
  std::size_t size = out.size();
  util::ensure(secp256k1_ecdsa_signature_serialize_der(context, out.data(), &size, &signature) == 1,
               "a signature fits 72 bytes");
  out.resize(size);
  out.push_back(kSighashAll);
  return out;
}

wallet::CompressedKey public_key(const wallet::PrivateKey& key) { return wallet::PublicKey::of(key)->compressed(); }

}  // namespace

TestWallet::TestWallet(std::string_view mnemonic, std::uint32_t count) {
  const auto parsed = wallet::Mnemonic::parse(mnemonic);
  util::ensure(parsed.has_value(), "the test mnemonic is valid");
  const auto seed = parsed->seed("");
  util::ensure(seed.has_value(), "an empty passphrase is UTF-8");
  auto path = wallet::account_path(wallet::ScriptKind::Wpkh, 0, chain::params(chain::Network::Regtest));
  path.push_back(0);
  const auto receive = wallet::ExtendedPrivateKey::from_seed(seed->view())->descend(path);
  for (std::uint32_t i = 0; i < count; ++i) keys_.push_back(receive->child(i)->key());
}

util::Bytes TestWallet::element(std::size_t index) const {
  const auto hash = util::hash160(public_key(keys_.at(index)));
  return {hash.begin(), hash.end()};
}

util::Bytes TestWallet::script(std::size_t index) const { return test::p2wpkh(element(index)); }

chain::Transaction TestWallet::spend(std::size_t index, const chain::OutPoint& coin, chain::Amount amount,
                                     util::ByteView to) const {
  chain::Transaction tx;
  tx.inputs.push_back({.previous = coin, .script_sig = {}, .witness = {}});
  tx.outputs.push_back({.value = amount, .script_pubkey = util::to_bytes(to)});
  const auto key = public_key(keys_.at(index));
  tx.inputs.front().witness = {sign(keys_.at(index), signature_hash(tx, element(index), amount)),
                               util::Bytes(key.begin(), key.end())};
  return tx;
}

}  // namespace spv::bench
