#include "report/paging.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

#include "store/store.h"
#include "util/hash256.h"

namespace spv::report {
namespace {

using wallet::Coin;
using wallet::HistoryEntry;
using wallet::TxStatus;

util::Unexpected<BadCursor> bad_cursor() {
  return util::Unexpected{BadCursor{"'after' is not a cursor of this list; use the \"next\" of an answer as it is"}};
}

/// Rows that the predicate takes, up to the limit; the cursor of the last one if there are more.
template <typename IsAfter, typename CursorOf>
Page select(std::size_t count, std::size_t limit, IsAfter is_after, CursorOf cursor_of) {
  Page page;
  const std::size_t size = std::clamp<std::size_t>(limit, 1, kMaxPageSize);
  for (std::size_t row = 0; row < count; ++row) {
    if (!is_after(row)) continue;
    if (page.rows.size() == size) {
      page.next = cursor_of(page.rows.back());
      break;
    }
    page.rows.push_back(row);
  }
  return page;
}

/// The fields of a cursor, which dots separate. Reading is sticky: after a field that is not one all fail.
class CursorReader {
 public:
  explicit CursorReader(std::string_view text) : rest_(text) {}

  template <typename Number>
  Number number() {
    const auto text = field();
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    ok_ = ok_ && error == std::errc{} && end == text.data() + text.size();
    return value;
  }
  chain::Txid txid() {
    const auto value = util::parse_hash<chain::Txid>(field());
    ok_ = ok_ && value.has_value();
    return value.value_or(chain::Txid{});
  }
  std::string_view field() {
    ok_ = ok_ && !done_;
    const auto dot = rest_.find('.');
    const auto text = rest_.substr(0, dot);
    done_ = dot == std::string_view::npos;
    rest_ = done_ ? std::string_view() : rest_.substr(dot + 1);
    return text;
  }
  /// All was read and nothing is left.
  [[nodiscard]] bool complete() const { return ok_ && done_; }

 private:
  std::string_view rest_;
  bool done_ = false;
  bool ok_ = true;
};

// --- history ----------------------------------------------------------------------------------------------------

/// A place in the history: of one that waits for a block by when it was seen, of one in a block by the block. One that
/// counts nowhere stands below the block above it.
struct HistoryPlace {
  TxStatus status = TxStatus::Unconfirmed;
  chain::Height height = -1;
  std::uint32_t index = 0;
  util::UnixTime first_seen = 0;
  chain::Txid txid{};
};

std::string to_cursor(const HistoryPlace& place) {
  const char* kind = place.status == TxStatus::Unconfirmed ? "u" : place.status == TxStatus::Confirmed ? "c" : "x";
  return std::string(kind) + "." + std::to_string(place.height) + "." + std::to_string(place.index) + "." +
         std::to_string(place.first_seen) + "." + util::to_string(place.txid);
}

std::optional<HistoryPlace> parse_history_cursor(const std::string& text) {
  CursorReader reader(text);
  HistoryPlace place;
  const auto kind = reader.field();
  place.status = kind == "u" ? TxStatus::Unconfirmed : kind == "c" ? TxStatus::Confirmed : TxStatus::Conflicted;
  place.height = reader.number<chain::Height>();
  place.index = reader.number<std::uint32_t>();
  place.first_seen = reader.number<util::UnixTime>();
  place.txid = reader.txid();
  // A text that means the same but is not the same is not ours.
  if (!reader.complete() || to_cursor(place) != text) return std::nullopt;
  return place;
}

HistoryPlace place_of(std::span<const HistoryEntry> entries, std::size_t row) {
  const auto& entry = entries[row];
  HistoryPlace place{.status = entry.status, .first_seen = entry.first_seen, .txid = entry.txid};
  std::size_t block = row;
  while (block > 0 && entries[block].status == TxStatus::Conflicted) --block;
  if (entries[block].status == TxStatus::Confirmed) {
    place.height = entries[block].confirmation->block.height;
    place.index = entries[block].confirmation->index;
  }
  return place;
}

/// Whether a row that counts stands at the place or above it.
bool is_not_below(const HistoryEntry& entry, const HistoryPlace& place) {
  if (entry.status == TxStatus::Unconfirmed) {
    if (place.status != TxStatus::Unconfirmed) return true;
    return entry.first_seen > place.first_seen || entry.txid == place.txid;
  }
  if (entry.status != TxStatus::Confirmed || place.status == TxStatus::Unconfirmed || place.height < 0) return false;
  const auto& at = *entry.confirmation;
  return std::tie(at.block.height, at.index) >= std::tie(place.height, place.index);
}

/// The first row below the place. One that counts nowhere is found by its id while it does not count.
std::size_t first_below(std::span<const HistoryEntry> entries, const HistoryPlace& place) {
  std::size_t first = 0;
  for (std::size_t row = 0; row < entries.size(); ++row) {
    const bool counts = entries[row].status != TxStatus::Conflicted;
    if (!counts && place.status == TxStatus::Conflicted && entries[row].txid == place.txid) return row + 1;
    if (counts && is_not_below(entries[row], place)) first = row + 1;
  }
  return first;
}

// --- coins ------------------------------------------------------------------------------------------------------

/// A place among the coins. Of one that is not confirmed, `height` is that of the last confirmed one: what is confirmed
/// later was not listed yet.
struct CoinPlace {
  bool confirmed = false;
  chain::Height height = -1;
  chain::OutPoint outpoint{};
};

std::string to_cursor(const CoinPlace& place) {
  return std::string(place.confirmed ? "c" : "u") + "." + std::to_string(place.height) + "." +
         util::to_string(place.outpoint.txid) + "." + std::to_string(place.outpoint.index);
}

std::optional<CoinPlace> parse_coin_cursor(const std::string& text) {
  CursorReader reader(text);
  CoinPlace place;
  place.confirmed = reader.field() == "c";
  place.height = reader.number<chain::Height>();
  place.outpoint.txid = reader.txid();
  place.outpoint.index = reader.number<std::uint32_t>();
  if (!reader.complete() || to_cursor(place) != text) return std::nullopt;
  return place;
}

CoinPlace place_of(std::span<const Coin> coins, std::size_t row) {
  CoinPlace place{.confirmed = coins[row].height.has_value(), .outpoint = coins[row].outpoint};
  while (row > 0 && !coins[row].height) --row;
  place.height = coins[row].height.value_or(-1);
  return place;
}

/// The row of a confirmed coin; within a block only its place in the list is known. None: it is spent, or has moved.
std::optional<std::size_t> row_of(std::span<const Coin> coins, const CoinPlace& place) {
  const auto found = std::ranges::find_if(
      coins, [&](const Coin& coin) { return coin.outpoint == place.outpoint && coin.height == place.height; });
  if (found == coins.end()) return std::nullopt;
  return static_cast<std::size_t>(found - coins.begin());
}

}  // namespace

PageResult page_of_history(std::span<const HistoryEntry> entries, const PageRequest& request) {
  std::size_t first = 0;
  if (request.after) {
    const auto place = parse_history_cursor(*request.after);
    if (!place) return bad_cursor();
    first = first_below(entries, *place);
  }
  return select(
      entries.size(), request.limit, [&](std::size_t row) { return row >= first; },
      [&](std::size_t row) { return to_cursor(place_of(entries, row)); });
}

PageResult page_of_coins(std::span<const Coin> coins, const PageRequest& request) {
  const auto place = request.after ? parse_coin_cursor(*request.after) : std::optional(CoinPlace{.confirmed = true});
  if (!place) return bad_cursor();
  const auto found = place->confirmed ? row_of(coins, *place) : std::nullopt;
  const auto is_after = [&](std::size_t row) {
    const Coin& coin = coins[row];
    if (!coin.height) return place->confirmed || coin.outpoint > place->outpoint;
    if (*coin.height != place->height) return *coin.height > place->height;
    return place->confirmed && (!found || row > *found);
  };
  return select(coins.size(), request.limit, is_after,
                [&](std::size_t row) { return to_cursor(place_of(coins, row)); });
}

PageResult page_of_addresses(std::span<const wallet::ScriptEntry> entries, const PageRequest& request) {
  std::size_t chain = 0;
  std::uint32_t index = 0;
  const auto cursor_of = [](std::size_t at_chain, std::uint32_t at_index) {
    return std::to_string(at_chain) + "." + std::to_string(at_index);
  };
  if (request.after) {
    CursorReader reader(*request.after);
    chain = reader.number<std::size_t>();
    index = reader.number<std::uint32_t>();
    if (!reader.complete() || cursor_of(chain, index) != *request.after) return bad_cursor();
  }
  return select(
      entries.size(), request.limit,
      [&](std::size_t row) {
        return !request.after || std::tie(entries[row].chain, entries[row].index) > std::tie(chain, index);
      },
      [&](std::size_t row) { return cursor_of(entries[row].chain, entries[row].index); });
}

PageResult page_of_names(std::span<const std::string> names, const PageRequest& request) {
  if (request.after && !store::is_wallet_name(*request.after)) return bad_cursor();
  return select(
      names.size(), request.limit, [&](std::size_t row) { return !request.after || names[row] > *request.after; },
      [&](std::size_t row) { return names[row]; });
}

}  // namespace spv::report
