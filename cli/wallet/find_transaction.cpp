#include "cli/wallet/find_transaction.h"

#include <vector>

#include <fmt/format.h>

#include "cli/error.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

// An id, or as much of one as a narrow window shows.
std::string first_digits(const std::string& text) {
  constexpr std::size_t kWhole = 64;
  constexpr std::size_t kLeast = 8;
  std::string digits;
  for (const char c : text) digits += static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  if (digits.size() >= kLeast && digits.size() <= kWhole &&
      digits.find_first_not_of("0123456789abcdef") == std::string::npos) {
    return digits;
  }
  throw UsageError("'" + text + "' is no transaction id; it has 64 hex digits, of which the first 8 may do");
}

}  // namespace

const wallet::TxRecord& find_transaction(const wallet::Wallet& wallet, const std::string& text) {
  const auto digits = first_digits(text);
  std::vector<chain::Txid> found;
  for (const auto& entry : wallet.history()) {
    if (util::to_string(entry.txid).starts_with(digits)) found.push_back(entry.txid);
  }
  if (found.empty()) {
    throw CommandError(ExitCode::Failed, "no-such-tx",
                       "this wallet has no transaction " + text + "; spv history lists those it has");
  }
  if (found.size() > 1) {
    throw UsageError(fmt::format("{} transactions begin with {}; give more digits", found.size(), text));
  }
  return *wallet.find(found.front());
}

}  // namespace spv::cli
