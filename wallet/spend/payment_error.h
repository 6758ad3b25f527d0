// PaymentError: why a payment is not made. The code is for programs, the message for people.
#pragma once

#include <string>
#include <utility>

#include "util/expected.h"

namespace spv::wallet::spend {

struct PaymentError {
  std::string code;     // short words with hyphens: insufficient-funds
  std::string message;  // what is wrong, with its numbers, and what to do
};

inline util::Unexpected<PaymentError> refuse(std::string code, std::string message) {
  return {PaymentError{std::move(code), std::move(message)}};
}

}  // namespace spv::wallet::spend
