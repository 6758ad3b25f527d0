// How the shards of a Syncer are set up, begin and end.
#include <algorithm>
#include <utility>

#include "client/errors.h"
#include "client/peer_address.h"
#include "client/syncer.h"
#include "net/clock.h"
#include "util/hex.h"

namespace spv::client {
namespace {

constexpr std::uint16_t kTorPort = 9050;
/// A circuit through Tor is not made in a moment.
constexpr util::Duration kProxyConnectTimeout = std::chrono::seconds(60);

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
  out.driver.dial = options_.connector;
  if (!options_.proxy.empty()) out.driver.proxy = proxy_of(options_.proxy);
  if (options_.connector || !options_.proxy.empty()) out.engine.connect_timeout = kProxyConnectTimeout;
  if (bounded_) out.driver.budget = &budget_;
  out.driver.clock = clock_;
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
  net::DriverHooks hooks;
  hooks.persist = [this](const std::vector<sync::MemberChanges>& wallets) { persist(wallets); };
  hooks.notify = [this, &shard](const sync::Event& event) { notify(shard, event); };
  hooks.heartbeat = [this, &shard] { heartbeat(shard); };
  if (options_.log) {
    hooks.log = [log = options_.log](util::LogLevel level, std::string_view text) {
      log(static_cast<int>(level), text);
    };
  }
  hooks.guard = &mutex;
  hooks.after = [this] { deliver(); };
  const auto made = guarded<void>([&]() -> Result<void> {
    const std::lock_guard lock(mutex);
    shard.open_headers(setup());
    shard.make_driver(*io_, setup(), std::move(hooks));
    return {};
  });
  if (!made) return end_all(static_cast<int>(made.error().code), made.error().message);
  shard.start([this, &shard](net::RunResult result, const std::string& trouble) { on_done(shard, result, trouble); });
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
  go_on();
}

// A shard has ended: all may be done, or others have waited for its headers.
void Syncer::go_on() {
  bool done = false;
  {
    const std::lock_guard lock(mutex);
    const auto is_done = [](const auto& shard) { return shard->ended() && !shard->joining; };
    done = !shards_.empty() && std::ranges::all_of(shards_, is_done);
  }
  if (done) return end_all(0, "");
  start_shards();
}

void Syncer::end_all(int code, std::string message) {
  for (Shard* shard : shards()) shard->stop();
  {
    const std::lock_guard lock(mutex);
    if (!std::exchange(running_, false)) return;
    if (auto saved = save(); !saved) {
      stale_ = true;
      unsaved_ = saved.error();
      code = static_cast<int>(unsaved_->code);
      message = unsaved_->message;
    }
  }
  events_.push(StoppedEvent{code, std::move(message)});
  deliver();
}

}  // namespace spv::client
