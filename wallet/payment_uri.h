// Payment URIs (BIP21): bitcoin:ADDRESS?amount=0.5&label=... as text and back. An address is not checked here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/types.h"
#include "util/expected.h"

namespace spv::wallet {

struct PaymentUri {
  std::string address;
  std::optional<chain::Amount> amount = std::nullopt;
  std::string label;    // of the payee
  std::string message;  // what it is for
  friend bool operator==(const PaymentUri&, const PaymentUri&) = default;
};

struct PaymentUriError {
  std::string message;  // what is wrong
};

/// True if it begins as such a URI does, in any case.
bool is_payment_uri(std::string_view text);
/// Parameters that are not known are ignored, unless their name begins with "req-": then the URI is refused, as is one
/// that gives a parameter twice. At most 4096 characters; texts are UTF-8.
util::Expected<PaymentUri, PaymentUriError> parse_payment_uri(std::string_view text);
/// Its canonical form, everything but letters, digits and "-._~" escaped in the values.
std::string to_string(const PaymentUri& uri);

/// An amount in bitcoins as BIP21 has it: decimal digits, and a point with at most eight digits behind it.
std::optional<chain::Amount> parse_btc(std::string_view text);

}  // namespace spv::wallet
