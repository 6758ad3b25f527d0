#include "cli/wallet/find_transaction.h"

#include <vector>

#include <fmt/format.h>

#include "cli/error.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

// An id, or as much of one as a narrow window shows, with the "…" behind that is shown there.
std::string first_digits(std::string text) {
  constexpr std::string_view kCut = "…";
  if (text.ends_with(kCut)) text.resize(text.size() - kCut.size());
  constexpr std::size_t kWhole = 64;
  constexpr std::size_t kLeast = 8;
  std::string digits;
  for (const char c : text) digits += static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  if (digits.size() >= kLeast && digits.size() <= kWhole &&
      digits.find_first_not_of("0123456789abcdef") == std::string::npos) {
    return digits;
  }
  throw UsageError("invalid txid '" + text + "': give 64 hex digits or at least the first 8");
}

}  // namespace

const wallet::TxRecord& find_transaction(const wallet::Wallet& wallet, const std::string& text) {
  const auto digits = first_digits(text);
  std::vector<chain::Txid> found;
  for (const auto& record : wallet.transactions()) {
    if (util::to_string(record.txid).starts_with(digits)) found.push_back(record.txid);
  }
  if (found.empty()) {
    throw CommandError(ExitCode::Failed, "no-such-tx",
                       "transaction " + text + " is not in this wallet; see spv history");
  }
  if (found.size() > 1) {
    throw UsageError(fmt::format("{} transactions start with {}; give more digits", found.size(), text));
  }
  return *wallet.find(found.front());
}

}  // namespace spv::cli
