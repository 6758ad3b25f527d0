#include "wallet/account.h"

#include <algorithm>
#include <array>
#include <string>

#include "util/ensure.h"
#include "util/hex.h"

namespace spv::wallet {
namespace {

struct KindFacts {
  ScriptKind kind;
  std::string_view name;
  std::uint32_t purpose;
  std::string_view before;  // the descriptor around its key
  std::string_view after;
};

constexpr std::array kKinds{
    KindFacts{ScriptKind::Pkh, "pkh", 44, "pkh(", ")"},
    KindFacts{ScriptKind::ShWpkh, "sh-wpkh", 49, "sh(wpkh(", "))"},
    KindFacts{ScriptKind::Wpkh, "wpkh", 84, "wpkh(", ")"},
    KindFacts{ScriptKind::Tr, "tr", 86, "tr(", ")"},
};

const KindFacts& facts(ScriptKind kind) {
  const auto* found = std::ranges::find(kKinds, kind, &KindFacts::kind);
  util::ensure(found != kKinds.end(), "every script kind has its facts");
  return *found;
}

util::Unexpected<DescriptorError> key_error(std::string message) {
  return util::Unexpected{DescriptorError{std::move(message)}};
}

/// Receive and change below an account's key.
util::Expected<std::vector<Descriptor>, DescriptorError> below(const std::string& account_key, ScriptKind kind,
                                                               const chain::NetworkParams& params) {
  const KindFacts& form = facts(kind);
  return Descriptor::parse(std::string(form.before) + account_key + "/<0;1>/*" + std::string(form.after), params);
}

/// The script kind to use for a key with this prefix.
util::Expected<ScriptKind, DescriptorError> choose_kind(const ExtendedKeyPrefix& prefix,
                                                        std::optional<ScriptKind> wanted) {
  if (!prefix.is_slip132) return wanted.value_or(ScriptKind::Wpkh);
  if (!prefix.implies) {
    return key_error("this " + std::string(prefix.name) +
                     " is a multisig key: use a descriptor such as "
                     "wsh(sortedmulti(…)) with all keys");
  }
  if (wanted && *wanted != *prefix.implies) {
    return key_error("this " + std::string(prefix.name) + " implies the script type " +
                     std::string(to_string(*prefix.implies)) + ", not " + std::string(to_string(*wanted)) +
                     ": omit the type, or convert the key to " + (prefix.is_main ? "xpub" : "tpub"));
  }
  return *prefix.implies;
}

}  // namespace

std::string_view to_string(ScriptKind kind) { return facts(kind).name; }

std::optional<ScriptKind> parse_script_kind(std::string_view name) {
  const auto* found = std::ranges::find(kKinds, name, &KindFacts::name);
  if (found == kKinds.end()) return std::nullopt;
  return found->kind;
}

std::uint32_t purpose_of(ScriptKind kind) { return facts(kind).purpose; }

KeyPath account_path(ScriptKind kind, std::uint32_t account, const chain::NetworkParams& params) {
  util::ensure(account < kHardened, "an account number is below 2^31");
  return {purpose_of(kind) | kHardened, params.bip44_coin_type | kHardened, account | kHardened};
}

std::optional<std::vector<Descriptor>> account_descriptors(const Seed& seed, ScriptKind kind, std::uint32_t account,
                                                           const chain::NetworkParams& params) {
  const auto master = ExtendedPrivateKey::from_seed(seed.view());
  if (!master) return std::nullopt;
  const KeyPath path = account_path(kind, account, params);
  const auto key = master->descend(path);
  if (!key) return std::nullopt;
  const std::string origin = '[' + util::to_hex(master->fingerprint()) + to_string(path) + ']';
  auto descriptors = below(origin + key->to_public().to_string(params), kind, params);
  if (!descriptors) return std::nullopt;
  return std::move(*descriptors);
}

std::optional<util::SecretBytes> private_descriptor(const Descriptor& descriptor, const Seed& seed,
                                                    const chain::NetworkParams& params) {
  const auto master = ExtendedPrivateKey::from_seed(seed.view());
  if (!master) return std::nullopt;
  const std::string text = descriptor.to_string();
  const auto path = descriptor.origin_path();
  const auto key = path ? master->descend(*path) : std::nullopt;
  if (!key) return std::nullopt;
  const std::string public_key = key->to_public().to_string(params);
  const auto at = text.find(public_key);
  if (at == std::string::npos) return std::nullopt;
  const util::SecretBytes private_key = key->to_text(params);
  util::SecretBytes out(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at));
  out.insert(out.end(), private_key.begin(), private_key.end());
  const std::string_view rest = std::string_view(text).substr(at + public_key.size());
  const std::string_view tail = rest.substr(0, rest.rfind('#'));
  out.insert(out.end(), tail.begin(), tail.end());
  const std::string checksum = '#' + descriptor_checksum({reinterpret_cast<const char*>(out.data()), out.size()});
  out.insert(out.end(), checksum.begin(), checksum.end());
  return out;
}

util::Expected<std::vector<Descriptor>, DescriptorError> descriptors_of_xpub(std::string_view text,
                                                                             std::optional<ScriptKind> kind,
                                                                             const chain::NetworkParams& params) {
  const auto bracket = text.rfind(']');
  const std::size_t start = bracket == std::string_view::npos ? 0 : bracket + 1;
  const std::string_view key = text.substr(start);
  const auto prefix = extended_key_prefix(key);
  if (!prefix) return key_error(ExtendedPublicKey::parse(key, params).error().message);
  const auto plain = to_bip32_prefix(key);
  if (!plain) return key_error(plain.error().message);
  // Says which network it is of, if it is another one.
  if (const auto parsed = ExtendedPublicKey::parse(*plain, params); !parsed) return key_error(parsed.error().message);
  const auto chosen = choose_kind(*prefix, kind);
  if (!chosen) return util::Unexpected{chosen.error()};
  return below(std::string(text.substr(0, start)) + *plain, *chosen, params);
}

std::optional<Fingerprint> master_fingerprint(const Seed& seed) {
  const auto master = ExtendedPrivateKey::from_seed(seed.view());
  if (!master) return std::nullopt;
  return master->fingerprint();
}

}  // namespace spv::wallet
