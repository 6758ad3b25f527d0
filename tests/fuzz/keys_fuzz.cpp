// Extended keys, their SLIP-132 prefixes and WIF keys: what is taken comes back as the same text, the public half of a
// private child is the child of the public half, and a wrong character is never taken.
#include <algorithm>

#include "tests/differential/reference_keys.h"
#include "tests/differential/reference_text.h"
#include "tests/fuzz/fuzz.h"
#include "wallet/base58.h"
#include "wallet/descriptor.h"
#include "wallet/extended_key.h"

namespace {

using namespace spv;

std::string text_of(const util::SecretBytes& secret) { return {secret.begin(), secret.end()}; }

void check_public(std::string_view text, const chain::NetworkParams& params) {
  const auto key = wallet::ExtendedPublicKey::parse(text, params);
  if (!key) return util::ensure(!key.error().message.empty(), "no reason is given");
  util::ensure(key->to_string(params) == text, "an xpub has two texts");
  const auto node = reference::read_xpub(text);
  util::ensure(node && std::ranges::equal(node->key, key->key().compressed()), "another key than the text says");
  const auto child = key->child(1);
  util::ensure(child.has_value() == (key->position().depth < 255), "a child where there is room for one");
  if (child)
    util::ensure(std::ranges::equal(reference::child(*node, 1).key, child->key().compressed()), "another child");
}

void check_private(std::string_view text, const chain::NetworkParams& params) {
  const auto key = wallet::ExtendedPrivateKey::parse(text, params);
  if (!key) return;
  util::ensure(text_of(key->to_text(params)) == text, "an xprv has two texts");
  const auto left = key->child(7);
  const auto right = key->to_public().child(7);
  util::ensure(left.has_value() == right.has_value(), "one half has a child and the other none");
  if (left) util::ensure(left->to_public().to_string(params) == right->to_string(params), "the halves part");
  check_public(key->to_public().to_string(params), params);
}

void check_text(std::string_view text) {
  for (const auto network : {chain::Network::Main, chain::Network::Regtest}) {
    const auto& params = chain::params(network);
    check_public(text, params);
    check_private(text, params);
    const auto wif = wallet::Descriptor::parse("pk(" + std::string(text) + ")", params);
    if (wif) util::ensure(wif->size() == 1 && wif->front().script_at(0).has_value(), "a key without its script");
  }
  const auto prefix = wallet::extended_key_prefix(text);
  const auto plain = wallet::to_bip32_prefix(text);
  util::ensure(!plain || prefix, "a text without a prefix gets another one");
}

}  // namespace

SPV_FUZZ_TARGET(keys, input) {
  if (input.empty()) return;
  fuzz::Input rest(input);
  if (rest.chance()) {
    // The fuzzer cannot guess a checksum: it is put behind a payload of a key's size.
    auto payload = util::to_bytes(rest.take(78));
    check_text(wallet::base58check_encode(payload));
    return;
  }
  if (rest.rest().size() > 130) return;
  check_text({reinterpret_cast<const char*>(rest.rest().data()), rest.rest().size()});
}
