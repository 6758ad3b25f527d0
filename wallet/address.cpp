#include "wallet/address.h"

#include <algorithm>
#include <array>

#include "wallet/base58.h"
#include "wallet/bech32.h"
#include "wallet/script.h"

namespace spv::wallet {
namespace {

using Kind = AddressError::Kind;
using Script = util::Expected<util::Bytes, AddressError>;

constexpr std::size_t kBase58PayloadSize = 21;
constexpr std::array kNetworks{chain::Network::Main, chain::Network::Testnet3, chain::Network::Testnet4,
                               chain::Network::Signet, chain::Network::Regtest};

util::Unexpected<AddressError> error(Kind kind, std::string message) {
  return util::Unexpected{AddressError{kind, std::move(message)}};
}

/// "testnet, testnet4 or signet": the networks for which `matches` holds.
template <typename Predicate>
std::string networks_where(Predicate matches) {
  std::vector<std::string_view> names;
  for (const auto network : kNetworks) {
    if (matches(chain::params(network))) names.push_back(chain::params(network).name);
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

util::Unexpected<AddressError> other_network(const std::string& names, const chain::NetworkParams& params) {
  return error(Kind::WrongNetwork, "this is an address of " + names + ", but the wallet is on " +
                                       std::string(params.name) +
                                       ": use an address of that network or name the "
                                       "network of the address");
}

bool starts_with_prefix(std::string_view address, std::string_view prefix) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return address.size() > prefix.size() && address[prefix.size()] == '1' &&
         std::equal(prefix.begin(), prefix.end(), address.begin(), [&](char p, char a) { return same(a, p); });
}

bool looks_like_bech32(std::string_view address) {
  return std::ranges::any_of(
      kNetworks, [&](auto network) { return starts_with_prefix(address, chain::params(network).bech32_hrp); });
}

util::Unexpected<AddressError> bech32_error(Bech32Error reason) {
  switch (reason) {
    case Bech32Error::MixedCase:
      return error(Kind::MixedCase, "the address mixes upper and lower case: use lower case");
    case Bech32Error::BadChecksum:
      return error(Kind::BadChecksum, "the checksum of the address is wrong: a character was mistyped or left out");
    case Bech32Error::BadCharacter:
      return error(
          Kind::Malformed,
          "the address contains a character that Bech32 does not use (1, b, i and o are not allowed after the prefix)");
    case Bech32Error::Length:
      return error(Kind::Malformed, "the address is too long or too short: copy it again");
    case Bech32Error::NoSeparator:
      break;
  }
  return error(Kind::Malformed, "not an address: it has no network prefix");
}

Script witness_script_of(const Bech32Text& text) {
  if (text.values.empty()) return error(Kind::BadProgram, "the address is empty after its prefix");
  const int version = text.values[0];
  if (version > 16) return error(Kind::BadProgram, "the address has a witness version above 16");
  const auto wanted = version == 0 ? Bech32Variant::Bech32 : Bech32Variant::Bech32m;
  if (text.variant != wanted) {
    return error(Kind::BadChecksum,
                 "the address uses the checksum of another witness version (BIP350): ask for it "
                 "again, its maker is faulty");
  }
  const auto program = from_five_bits(util::ByteView(text.values).subspan(1));
  if (!program) return error(Kind::BadProgram, "the address has invalid padding: ask for a new one");
  if (program->size() < 2 || program->size() > 40) {
    return error(Kind::BadProgram, "the address has a witness program that is not 2 to 40 bytes long");
  }
  if (version == 0 && program->size() != 20 && program->size() != 32) {
    return error(Kind::BadProgram, "the address has a version 0 program that is neither 20 nor 32 bytes long");
  }
  return witness_script(version, *program);
}

Script parse_bech32(std::string_view address, const chain::NetworkParams& params) {
  const auto text = bech32_decode(address);
  if (!text) return bech32_error(text.error());
  if (text->prefix != params.bech32_hrp) {
    const auto names = networks_where([&](const auto& other) { return other.bech32_hrp == text->prefix; });
    if (!names.empty()) return other_network(names, params);
    return error(Kind::WrongNetwork, "the prefix \"" + text->prefix + "\" does not belong to any Bitcoin network");
  }
  return witness_script_of(*text);
}

Script parse_base58(std::string_view address, const chain::NetworkParams& params) {
  const auto payload = base58check_decode(address, kBase58PayloadSize);
  if (!payload && payload.error() == Base58Error::BadChecksum) {
    return error(Kind::BadChecksum, "the checksum of the address is wrong: a character was mistyped or left out");
  }
  if (!payload && payload.error() == Base58Error::BadCharacter) {
    return error(Kind::Malformed, "not an address: it contains an invalid character");
  }
  if (!payload || payload->size() != kBase58PayloadSize) {
    return error(Kind::Malformed, "not an address: wrong length");
  }
  const std::uint8_t version = payload->front();
  util::Hash160 hash{};
  std::copy(payload->begin() + 1, payload->end(), hash.begin());
  if (version == params.p2pkh_prefix) return p2pkh_script(hash);
  if (version == params.p2sh_prefix) return p2sh_script(hash);
  const auto names =
      networks_where([&](const auto& other) { return other.p2pkh_prefix == version || other.p2sh_prefix == version; });
  if (!names.empty()) return other_network(names, params);
  return error(Kind::WrongNetwork,
               "the address does not belong to any Bitcoin network (version " + std::to_string(version) + ")");
}

std::string base58_address(std::uint8_t version, const util::Hash160& hash) {
  util::Bytes payload{version};
  payload.insert(payload.end(), hash.begin(), hash.end());
  return base58check_encode(payload);
}

}  // namespace

Script script_of_address(std::string_view address, const chain::NetworkParams& params) {
  if (address.empty()) return error(Kind::Malformed, "the address is empty");
  if (looks_like_bech32(address)) return parse_bech32(address, params);
  auto script = parse_base58(address, params);
  // A Bech32 text with the prefix of another coin deserves a better answer than "wrong character".
  if (!script && bech32_decode(address)) return parse_bech32(address, params);
  return script;
}

std::optional<std::string> address_of_script(util::ByteView script, const chain::NetworkParams& params) {
  if (const auto hash = as_p2pkh(script)) return base58_address(params.p2pkh_prefix, *hash);
  if (const auto hash = as_p2sh(script)) return base58_address(params.p2sh_prefix, *hash);
  const auto witness = as_witness_program(script);
  if (!witness) return std::nullopt;
  if (witness->version == 0 && witness->program.size() != 20 && witness->program.size() != 32) return std::nullopt;
  util::Bytes values{static_cast<std::uint8_t>(witness->version)};
  const util::Bytes program = to_five_bits(witness->program);
  values.insert(values.end(), program.begin(), program.end());
  const auto variant = witness->version == 0 ? Bech32Variant::Bech32 : Bech32Variant::Bech32m;
  return bech32_encode(variant, params.bech32_hrp, values);
}

}  // namespace spv::wallet
