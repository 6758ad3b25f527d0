#include "client/sync_state.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "client/errors.h"

namespace spv::client {
namespace {

std::string utc(util::UnixTime time) {
  const std::time_t seconds = time;
  std::tm parts{};
  char text[32] = "";
  if (gmtime_r(&seconds, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

Error to_error(const ClockBehind& behind) {
  return {ErrorCode::Clock, "the clock says " + utc(behind.clock) + ", but block " + std::to_string(behind.height) +
                                " is from " + utc(behind.block_time) + "; set the clock and try again"};
}

}  // namespace

bool ByteBudget::renew() {
  if (next) {
    bounded = *next != 0;
    left = *next;
    next.reset();
  }
  return !bounded || left != 0;
}

SyncState::SyncState(const ClientSetup& given, Events& events)
    : setup(given), wallets(given, events), shards(given, events), announcer(events) {
  budget.next = given.options.byte_budget;
}

Result<Held*> SyncState::usable(const std::string& name) {
  if (waits_for_store) return Error{ErrorCode::Storage, "cannot reach the database; try again later"};
  Held* held = wallets.find(name);
  if (held == nullptr) return Error{ErrorCode::NotFound, "the wallet '" + name + "' is not open"};
  if (held->lost) return Error{ErrorCode::NotFound, "the wallet '" + name + "' is now in use by another process"};
  wallets.keep_awake(*held);
  return held;
}

void SyncState::keep(Held& held, wallet::Changes changes) {
  if (held.shard != nullptr) wallets.note(held.shard->session.take_changes());
  wallets.keep(held, std::move(changes));
}

Result<void> SyncState::save() {
  return guarded<void>([&]() -> Result<void> {
    if (!wallets.stale()) wallets.flush();
    shards.flush_headers();
    if (book) book->save();
    return {};
  });
}

SessionSetup SyncState::session_setup() {
  SessionSetup out{setup.params, setup.options, setup.folder.headers().string()};
  if (book) out.book = &*book;
  if (budget.bounded) out.budget = &budget.left;
  out.usage = &usage;
  if (ends_at) out.time_left = std::max(*ends_at - setup.clock().monotonic, util::Duration::zero());
  return out;
}

void SyncState::open_headers() {
  if (!shards.empty()) shards.first().session.open_headers(session_setup());
}

Result<void> SyncState::check_clock() {
  if (shards.empty() || !setup.options.check_clock) return {};
  if (const auto behind = shards.first().session.clock_behind(setup.clock().wall)) return to_error(*behind);
  return {};
}

Result<void> SyncState::place_all(boost::asio::io_context& loop) {
  auto placed = guarded<void>([&]() -> Result<void> {
    shards.place_all(wallets, [this] { open_headers(); });
    return check_clock();
  });
  if (!placed) {
    end();
    return placed;
  }
  io = &loop;
  running = true;
  announcer.reset();
  return {};
}

Result<void> SyncState::take_in(Held& held) {
  auto placed = guarded<void>([&]() -> Result<void> {
    shards.place_by_position(held, wallets);
    open_headers();
    return {};
  });
  if (!placed) {
    shards.displace(held);
    wallets.close(held);
    return placed;
  }
  held.shard->joining = true;
  announcer.owe_synced();
  return {};
}

std::vector<Shard*> SyncState::place_again(Shard& left) {
  const auto those = left.session.take_left();
  wallets.note(those);
  std::vector<Shard*> out;
  for (const auto& each : those) {
    Held& held = wallets.at(each.wallet);
    shards.place_by_position(held, wallets);
    held.shard->joining = true;
    out.push_back(held.shard);
  }
  return out;
}

std::optional<Shards::Union> SyncState::unite() {
  auto both = shards.next_union();
  if (!both) return std::nullopt;
  wallets.note(both->from->session.take_changes());
  Shards::unite(*both, wallets);
  return both;
}

SyncReport SyncState::report() const {
  SyncReport out = shards.report(usage);
  out.running = running;
  out.waits_for_store = waits_for_store;
  for (std::size_t i = 0; i < net::kCauses; ++i) {
    out.by_cause[i] = {usage.traffic()[i].bytes_in, usage.traffic()[i].bytes_out};
  }
  for (const auto& [address, used] : usage.peers()) {
    if (used.loads == 0) continue;
    out.sent.push_back({sync::to_string(address), used.loads, used.filters.size(), used.filter_bytes, used.last_load});
  }
  return out;
}

void SyncState::show() {
  stands_otherwise = false;
  ChainSummary chain = shards.chain_summary();
  chain.running = running;
  chain.store_away = waits_for_store;
  setup.board->put(chain);
}

void SyncState::end() {
  for (const auto& [id, held] : wallets.all()) held->shard = nullptr;
  shards.clear();
  io = nullptr;
  running = false;
}

}  // namespace spv::client
