#include "client/syncer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "client/errors.h"
#include "client/peer_address.h"
#include "net/clock.h"
#include "util/hex.h"

namespace spv::client {
namespace {

constexpr std::uint16_t kTorPort = 9050;
/// A circuit through Tor is not made in a moment.
constexpr util::Duration kProxyConnectTimeout = std::chrono::seconds(60);

Error not_from_callback() {
  return {ErrorCode::State, "not from a callback: it would wait for itself; do it from another thread"};
}

std::vector<sync::PeerAddress> addresses(const std::vector<std::string>& texts, std::uint16_t port) {
  std::vector<sync::PeerAddress> out;
  for (const auto& text : texts) {
    if (auto address = parse_peer_address(text, port)) out.push_back(std::move(*address));
  }
  return out;
}

/// With a login of its own for every run: no two share a circuit of a proxy that isolates streams.
std::optional<net::Proxy> proxy_of(const std::string& text) {
  const auto address = parse_peer_address(text, kTorPort);
  if (!address) return std::nullopt;
  std::array<std::uint8_t, 16> fresh{};
  net::fill_with_entropy(fresh);
  return net::Proxy{address->host, address->port, "spv", util::to_hex(fresh)};
}

}  // namespace

Syncer::Syncer(const chain::NetworkParams& params, DataFolder folder, const Options& options, EventQueue& events)
    : params_(params),
      folder_(std::move(folder)),
      options_(options),
      events_(events),
      next_budget_(options.byte_budget) {}

Syncer::~Syncer() { static_cast<void>(stop()); }

// --- life -----------------------------------------------------------------------------------------------------------

Result<void> Syncer::start(boost::asio::io_context* io) {
  if (on_own_thread()) return not_from_callback();
  const std::lock_guard control(control_);
  if (auto ready = prepare(io); !ready) return ready;
  if (loop_) {
    thread_ = std::thread([this] { run_loop(); });
    later([this] { start_shards(); });
  } else {
    start_shards();
  }
  return {};
}

Result<void> Syncer::prepare(boost::asio::io_context* io) {
  const std::lock_guard lock(mutex);
  if (io_ != nullptr) return Error{ErrorCode::State, "the sync is started already; stop it first"};
  if (next_budget_) bounded_ = *next_budget_ != 0;
  budget_ = std::exchange(next_budget_, std::nullopt).value_or(budget_);
  if (bounded_ && budget_ == 0) {
    return Error{ErrorCode::Budget, "the byte budget is spent; set a new one with set_byte_budget"};
  }
  return guarded<void>([&]() -> Result<void> {
    if (std::exchange(stale_, false)) reload_wallets();
    if (options_.peers.empty() && !book_) book_.emplace(folder_.peers(), params_.magic);
    if (io == nullptr) loop_ = std::make_unique<net::Loop>();
    io_ = io == nullptr ? &loop_->io() : io;
    last_io_ = io;
    try {
      for (auto& [id, held] : wallets_) place(*held);
      if (!shards_.empty()) shards_.front()->open_headers(setup());
    } catch (...) {
      shards_.clear();
      io_ = nullptr;
      loop_.reset();
      throw;
    }
    running_ = true;
    synced_told_ = false;
    told_.reset();
    return {};
  });
}

void Syncer::run_loop() {
  loop_thread_ = std::this_thread::get_id();
  const auto gathers = [this] {
    const std::lock_guard lock(mutex);
    return shards_.size() == 1 && shards_.front()->gathers();
  };
  try {
    loop_->run(gathers);
  } catch (...) {
    events_.push(StoppedEvent{static_cast<int>(ErrorCode::Internal), current_error().message});
    deliver();
  }
}

void Syncer::later(std::function<void()> what) {
  net::post(*io_, [what = std::move(what), alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) what();
  });
}

std::vector<Shard*> Syncer::shards() {
  const std::lock_guard lock(mutex);
  std::vector<Shard*> all;
  all.reserve(shards_.size());
  for (const auto& shard : shards_) all.push_back(shard.get());
  return all;
}

Result<void> Syncer::stop() {
  if (on_own_thread()) return not_from_callback();
  const std::lock_guard control(control_);
  if (io_ == nullptr) return {};
  if (loop_) {
    later([this] {
      for (Shard* shard : shards()) shard->stop();
      loop_->stop();
    });
    thread_.join();
    thread_ = {};
    loop_thread_ = std::thread::id();
  } else {
    for (Shard* shard : shards()) shard->stop();
  }
  return wind_up();
}

Result<void> Syncer::wind_up() {
  const std::lock_guard lock(mutex);
  const auto saved = guarded<void>([&]() -> Result<void> {
    if (!stale_) flush_deferred();
    for (const auto& shard : shards_) shard->flush_headers();
    if (book_) book_->save();
    return {};
  });
  for (const auto& shard : shards_) {
    past_.bytes_in += shard->traffic().bytes_in;
    past_.bytes_out += shard->traffic().bytes_out;
  }
  for (auto& [id, held] : wallets_) held->shard = nullptr;
  shards_.clear();
  io_ = nullptr;
  running_ = false;
  loop_.reset();
  return saved;
}

Result<void> Syncer::resume() { return start(last_io_); }

Result<void> Syncer::restart() {
  if (auto stopped = stop(); !stopped) return stopped;
  return resume();
}

bool Syncer::running() {
  const std::lock_guard lock(mutex);
  return running_;
}

void Syncer::set_budget(std::uint64_t bytes) {
  const std::lock_guard lock(mutex);
  next_budget_ = bytes;
}

// --- wallets --------------------------------------------------------------------------------------------------------

Held* Syncer::find(const std::string& name) {
  const auto found =
      std::find_if(wallets_.begin(), wallets_.end(), [&](const auto& item) { return item.second->name == name; });
  return found == wallets_.end() ? nullptr : found->second.get();
}

Held& Syncer::by_id(sync::MemberId id) { return *wallets_.at(id); }

const chain::HeaderStore* Syncer::headers() const { return shards_.empty() ? nullptr : shards_.front()->headers(); }

Result<void> Syncer::add(const std::string& name, OpenWallet open) {
  bool reaches = true;
  {
    const std::lock_guard lock(mutex);
    if (find(name) != nullptr) return {};
    const sync::MemberId id = next_id_++;
    auto& held = *wallets_.emplace(id, std::make_unique<Held>(Held{id, name, std::move(open), {}})).first->second;
    if (io_ == nullptr) return {};
    const auto base = header_base(params_, held.open.wallet.config());
    reaches = shards_.empty() || shards_.front()->reaches(base);
    if (reaches) {
      const auto placed = guarded<void>([&]() -> Result<void> {
        place(held);
        shards_.front()->open_headers(setup());
        return {};
      });
      if (!placed) {
        wallets_.erase(id);
        return placed;
      }
      synced_told_ = false;
      later([this, id] {
        start_shards();
        Shard* shard = nullptr;
        {
          const std::lock_guard again(mutex);
          if (const auto found = wallets_.find(id); found != wallets_.end()) shard = found->second->shard;
        }
        if (shard != nullptr) shard->on_wallets_changed();
      });
    }
  }
  return reaches ? Result<void>{} : restart();  // its first block lies below all headers that are here
}

Result<void> Syncer::remove(const std::string& name) {
  const std::lock_guard lock(mutex);
  Held* held = find(name);
  if (held == nullptr) return Error{ErrorCode::NotFound, "the wallet '" + name + "' is not open"};
  const auto saved = guarded<void>([&]() -> Result<void> {
    if (held->shard != nullptr) persist(*held->shard);
    if (deferred_.contains(held->id)) commit(*held);
    return {};
  });
  if (held->shard != nullptr) {
    held->shard->remove(held->id);
    later([this, shard = held->shard] { on_wallet_gone(shard); });
  }
  deferred_.erase(held->id);
  wallets_.erase(held->id);
  return saved;
}

// The first shard stays as long as there are others: it writes the headers.
void Syncer::on_wallet_gone(Shard* shard) {
  bool empty = false;
  {
    const std::lock_guard lock(mutex);
    if (std::ranges::none_of(shards_, [&](const auto& each) { return each.get() == shard; })) return;
    empty = shard->group().empty();
  }
  if (!empty) return shard->on_wallets_changed();
  shard->stop();
  const std::lock_guard lock(mutex);
  shard->flush_headers();
  past_.bytes_in += shard->traffic().bytes_in;
  past_.bytes_out += shard->traffic().bytes_out;
  std::erase_if(shards_, [&](const auto& each) { return each.get() == shard; });
}

void Syncer::reload_wallets() {
  for (auto& [id, held] : wallets_) {
    held->deferred = {};
    { const OpenWallet gone = std::move(held->open); }  // its lock goes before the file is opened again
    held->open = open_wallet(folder_.wallet(held->name), store::Database::Mode::ReadWrite, params_.network);
  }
  deferred_.clear();
}

// Into the first shard with room; the last resort is a new one.
void Syncer::place(Held& held) {
  const bool whole = options_.whole_blocks;
  const auto elements = held.open.wallet.watched_elements().size();
  const auto room = whole ? std::numeric_limits<std::size_t>::max() : Shard::capacity(setup().engine.fp_rate);
  for (const auto& shard : shards_) {
    if (shard->elements() + elements > room || shard->group().empty()) continue;
    shard->add(held.id, held.open.wallet);
    held.shard = shard.get();
    return;
  }
  // One file of headers serves all: it begins where the oldest wallet does.
  auto base = header_base(params_, held.open.wallet.config());
  for (const auto& [id, other] : wallets_) {
    auto theirs = header_base(params_, other->open.wallet.config());
    if (theirs.height < base.height) base = theirs;
  }
  auto shard = std::make_unique<Shard>(base);
  shard->add(held.id, held.open.wallet);
  held.shard = shard.get();
  shards_.push_back(std::move(shard));
}

// --- shards ---------------------------------------------------------------------------------------------------------

ShardSetup Syncer::setup() {
  ShardSetup out{params_, folder_.headers().string(), {}, {}};
  out.engine.peers = addresses(options_.peers, params_.default_port);
  if (book_) {
    const std::size_t wanted = std::max<std::size_t>(options_.peer_count, 1);
    const bool onion = !options_.proxy.empty();
    out.engine.book = sync::BookUse{&book_->book, wanted, {.onion = onion}, fixed_addresses(params_)};
  }
  if (options_.fp_rate > 0) out.engine.fp_rate = options_.fp_rate;
  out.engine.mempool_wait = options_.mempool_wait;
  out.engine.follow = options_.follow;
  if (options_.whole_blocks) out.engine.source.mode = sync::SourceMode::Blocks;
  out.driver.follow = options_.follow;
  if (!options_.proxy.empty()) {
    out.engine.connect_timeout = kProxyConnectTimeout;
    out.driver.proxy = proxy_of(options_.proxy);
  }
  if (bounded_) out.driver.budget = &budget_;
  if (options_.clock) {
    out.driver.clock = [clock = options_.clock] {
      const ClockReading now = clock();
      return util::Now{util::TimePoint(now.monotonic), now.unix_time};
    };
  }
  if (options_.lookup) {
    out.driver.lookup = [lookup = options_.lookup](const std::string& name) {
      net::LookupResult found;
      found.addresses = lookup(name);
      if (found.addresses.empty()) found.error = "the name is unknown";
      return found;
    };
  }
  return out;
}

// The first one fetches the headers; the others find them in the file once they are there.
void Syncer::start_shards() {
  std::vector<Shard*> due;
  {
    const std::lock_guard lock(mutex);
    if (!running_ || shards_.empty()) return;
    Shard& first = *shards_.front();
    const auto progress = first.progress();
    if (!progress) {
      due.push_back(&first);
    } else if (progress->headers_done) {
      first.flush_headers();
      for (const auto& shard : shards_) {
        if (!shard->started()) due.push_back(shard.get());
      }
    }
  }
  for (Shard* shard : due) start_shard(*shard);
}

void Syncer::start_shard(Shard& shard) {
  const auto opened = guarded<void>([&]() -> Result<void> {
    const std::lock_guard lock(mutex);
    shard.open_headers(setup());
    return {};
  });
  if (!opened) return end_all(static_cast<int>(opened.error().code), opened.error().message);
  net::DriverHooks hooks;
  hooks.persist = [this, &shard](const wallet::Changes&) { persist(shard); };
  hooks.notify = [this, &shard](const sync::Event& event) { notify(shard, event); };
  hooks.heartbeat = [this, &shard] { heartbeat(shard); };
  if (options_.log) {
    hooks.log = [log = options_.log](util::LogLevel level, std::string_view text) {
      log(static_cast<int>(level), text);
    };
  }
  hooks.guard = &mutex;
  hooks.after = [this] { deliver(); };
  shard.start(*io_, setup(), std::move(hooks),
              [this, &shard](net::RunResult result, const std::string& trouble) { on_done(shard, result, trouble); });
}

void Syncer::on_done(Shard& shard, net::RunResult result, const std::string& trouble) {
  if (result == net::RunResult::Failed) {
    stale_ = true;
    return end_all(static_cast<int>(ErrorCode::Storage), trouble);
  }
  if (result == net::RunResult::BudgetSpent) {
    return end_all(static_cast<int>(ErrorCode::Budget), "the byte budget is spent; what was verified is saved");
  }
  if (const auto failure = shard.failure()) return end_all(static_cast<int>(ErrorCode::Network), failure->message);
  const auto all = shards();
  if (std::ranges::all_of(all, [](const Shard* other) { return other->finished; })) return end_all(0, "");
  start_shards();  // those that waited for this one's headers
}

void Syncer::end_all(int code, const std::string& message) {
  for (Shard* shard : shards()) shard->stop();
  {
    const std::lock_guard lock(mutex);
    if (!std::exchange(running_, false)) return;
    try {
      if (!stale_) flush_deferred();
      for (const auto& shard : shards_) shard->flush_headers();
    } catch (...) {
      stale_ = true;
    }
  }
  events_.push(StoppedEvent{code, message});
  deliver();
}

}  // namespace spv::client
