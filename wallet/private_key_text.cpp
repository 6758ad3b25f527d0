#include "wallet/private_key_text.h"

#include <algorithm>

#include "chain/params.h"
#include "wallet/base58.h"
#include "wallet/extended_key.h"

namespace spv::wallet {
namespace {

constexpr std::size_t kMaxWifBytes = 34;
constexpr std::size_t kMinWifBytes = 33;

bool is_wif_prefix(std::uint8_t prefix) {
  return prefix == chain::params(chain::Network::Main).wif_prefix ||
         prefix == chain::params(chain::Network::Testnet4).wif_prefix;
}

bool is_private_key(std::string_view word) {
  if (const auto prefix = extended_key_prefix(word)) return prefix->is_private;
  const auto payload = base58check_decode(word, kMaxWifBytes);
  return payload && payload->size() >= kMinWifBytes && is_wif_prefix(payload->front());
}

}  // namespace

bool has_private_key(std::string_view text) {
  constexpr std::string_view kBreaks = "()[]{}<>,;/#*'\" \t\r\n";
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(kBreaks), text.size());
    if (is_private_key(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace spv::wallet
