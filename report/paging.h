// Pages of lists. A cursor is the place of the last row of a page, not a count of rows: what is added in front of it
// meanwhile moves nothing, and no row that stays where it is gets lost between two pages. A row that changes its place
// between two pages, as when a transaction is confirmed, may be listed twice.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "util/expected.h"
#include "wallet/records.h"

namespace spv::report {

inline constexpr std::size_t kDefaultPageSize = 100;
inline constexpr std::size_t kMaxPageSize = 1'000;

struct PageRequest {
  std::size_t limit = kDefaultPageSize;
  std::optional<std::string> after = std::nullopt;  // what `next` was; none: from the first row on
};

/// Which rows of the list make the page, in its order.
struct Page {
  std::vector<std::size_t> rows;
  std::optional<std::string> next;  // none: there are no further rows
};

/// A cursor that is not one of this list. The text says what to do.
struct BadCursor {
  std::string message;
};
using PageResult = util::Expected<Page, BadCursor>;

/// Of Wallet::history(), in its order: newest first.
PageResult page_of_history(std::span<const wallet::HistoryEntry> entries, const PageRequest& request);
/// Of Wallet::coins(), in its order.
PageResult page_of_coins(std::span<const wallet::Coin> coins, const PageRequest& request);
/// Of addresses_of(), in its order.
PageResult page_of_addresses(std::span<const wallet::ScriptEntry> entries, const PageRequest& request);
/// Of the names of wallets, sorted.
PageResult page_of_names(std::span<const std::string> names, const PageRequest& request);

}  // namespace spv::report
