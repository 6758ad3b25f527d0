// `spv sync`: joins the header file, the wallet file, the engine and the driver.
#include <algorithm>
#include <array>
#include <malloc.h>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chain/header_chain.h"
#include "cli/commands/clock_check.h"
#include "cli/commands/commands.h"
#include "cli/commands/peer_address.h"
#include "cli/output/event_report.h"
#include "cli/output/log_file.h"
#include "cli/output/progress.h"
#include "cli/output/report.h"
#include "cli/output/sync_report.h"
#include "cli/wallet/wallet_file.h"
#include "client/peer_address.h"
#include "net/clock.h"
#include "net/driver.h"
#include "store/address_book_file.h"
#include "store/header_file.h"
#include "sync/engine/engine.h"
#include "sync/watch/wallet_group.h"
#include "util/hex.h"

namespace spv::cli {
namespace {

constexpr std::uint16_t kTorPort = 9050;
/// What is learned of peers is not precious: now and then is enough.
constexpr util::Duration kBookInterval = std::chrono::minutes(5);
/// How often a program that runs for days gives back what a rescan or a flood has taken.
constexpr util::Duration kTrimInterval = std::chrono::minutes(1);

util::Duration to_duration(double seconds) {
  return std::chrono::duration_cast<util::Duration>(std::chrono::duration<double>(seconds));
}

sync::EngineOptions engine_options(const CommonOptions& common, const SyncOptions& options) {
  sync::EngineOptions out;
  const auto port = chain::params(common.network).default_port;
  for (const auto& text : options.connect) {
    out.peers.push_back(parse_peer_address(text, port));
    if (!options.proxy && out.peers.back().host.ends_with(".onion")) {
      throw UsageError("'" + text + "' can only be reached through Tor; add --proxy 127.0.0.1:9050 or where yours is");
    }
  }
  // A circuit through Tor is not made in a moment.
  if (options.proxy) out.connect_timeout = std::chrono::seconds(60);
  out.fp_rate = options.fp_rate;
  out.mempool_wait = to_duration(options.mempool_wait);
  out.follow = options.follow;
  out.source.mode = options.source == "blocks" ? sync::SourceMode::Blocks
                    : options.source == "auto" ? sync::SourceMode::Auto
                                               : sync::SourceMode::Filter;
  out.source.max_download = options.max_download;
  out.cross_check = options.cross_check == "off"    ? sync::CrossCheckMode::Off
                    : options.cross_check == "full" ? sync::CrossCheckMode::Full
                                                    : sync::CrossCheckMode::Sample;
  return out;
}

std::string timeout_message(const sync::Engine& engine, const wallet::Wallet& wallet, const chain::HeaderChain& chain) {
  if (engine.peers().empty()) {
    return "the time is up and no node has answered; check --connect, the network's name and your connection";
  }
  return fmt::format("the time is up at block {} of {}; all of it is saved, run spv sync again to go on",
                     std::max(0, wallet.scan().scanned_to.height), chain.height());
}

/// With a login of its own for every run: no two wallets share a circuit of a proxy that isolates streams.
std::optional<net::Proxy> proxy(const SyncOptions& options) {
  if (!options.proxy) return std::nullopt;
  const auto address = parse_peer_address(*options.proxy, kTorPort);
  std::array<std::uint8_t, 16> fresh{};
  net::fill_with_entropy(fresh);
  return net::Proxy{address.host, address.port, "spv", util::to_hex(fresh)};
}

net::DriverOptions driver_options(const SyncOptions& options) {
  net::DriverOptions out;
  if (options.timeout) out.timeout = to_duration(*options.timeout);
  out.follow = options.follow;
  out.transport = options.transport == "v1"   ? net::TransportChoice::V1
                  : options.transport == "v2" ? net::TransportChoice::V2
                                              : net::TransportChoice::Auto;
  out.plain_on_loopback = options.source != "filter";
  out.proxy = proxy(options);
  return out;
}

/// The address book, if peers come from it.
std::optional<store::AddressBookFile> open_book(const CommonOptions& common, const SyncOptions& options,
                                                const util::LogSink& log) {
  if (!options.connect.empty()) return std::nullopt;
  std::optional<store::AddressBookFile> book;
  book.emplace(peers_path(common), chain::params(common.network).magic);
  if (!book->trouble().empty()) log(util::LogLevel::Warn, book->trouble());
  if (!book->writable()) log(util::LogLevel::Info, "another spv writes the address book; this one only reads it");
  return book;
}

// glibc keeps what is freed below anything that lives on.
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

[[noreturn]] void fail(const sync::Failure& failure) {
  using Code = sync::Failure::Code;
  const char* code = failure.code == Code::NoPeers        ? "no-peers"
                     : failure.code == Code::NoBloomPeers ? "no-bloom-peers"
                                                          : "no-serving-peers";
  throw CommandError(ExitCode::Network, code, failure.message);
}

}  // namespace

ExitCode run(const CommonOptions& common, const SyncOptions& options) {
  auto engine_setup = engine_options(common, options);
  auto driver_setup = driver_options(options);
  const auto& params = chain::params(common.network);
  OpenWallet open = open_wallet(common, Access::Write);
  const auto log = open_log(common);
  auto book = open_book(common, options, log);
  if (book) {
    engine_setup.book = sync::BookUse{
        &book->book, options.peers, {.onion = options.proxy.has_value()}, client::fixed_addresses(params)};
  }
  const auto headers =
      store::HeaderFile::open(headers_path(common), params, client::header_base(params, open.wallet.config()));
  chain::HeaderChain chain(params, *headers);
  sync::WalletGroup watcher{util::Rng(net::system_entropy())};
  watcher.add(1, open.wallet);
  sync::Engine engine(std::move(engine_setup), chain, watcher, util::Rng(net::system_entropy()));

  const util::Now started = net::read_clock();
  if (const auto wrong = clock_complaint(chain, started.wall)) throw CommandError(ExitCode::Failed, "clock", *wrong);
  const WalletBefore before{open.wallet.balance(), open.wallet.history().size()};
  ProgressLine progress(common.json, started);
  const net::Driver* running = nullptr;
  net::DriverHooks hooks;
  hooks.persist = [&](const std::vector<sync::MemberChanges>& wallets) { open.file.commit(wallets.front().changes); };
  hooks.notify = [&](const sync::Event& event) {
    if (!options.follow) return print_warning(event);
    progress.clear();
    print_event(event, common.json);
  };
  util::TimePoint book_saved = started.monotonic;
  util::TimePoint trimmed = started.monotonic;
  hooks.heartbeat = [&] {
    const util::Now now = net::read_clock();
    progress.update(engine, *running, now);
    if (now.monotonic >= trimmed + kTrimInterval) {
      give_back_memory();
      trimmed = now.monotonic;
    }
    if (!book || now.monotonic < book_saved + kBookInterval) return;
    book->save();
    book_saved = now.monotonic;
  };
  hooks.log = log;
  net::Driver driver(engine, params, std::move(driver_setup), std::move(hooks));
  running = &driver;

  const net::RunResult result = driver.run();
  progress.clear();
  if (book) book->save();
  if (driver.failure()) fail(*driver.failure());
  if (result == net::RunResult::TimedOut) {
    throw CommandError(ExitCode::Network, "timeout", timeout_message(engine, open.wallet, chain));
  }
  if (result == net::RunResult::Stopped && !options.follow) {
    throw CommandError(ExitCode::Failed, "interrupted", "interrupted; what was verified is saved");
  }
  if (options.follow) return ExitCode::Done;
  const auto seconds = std::chrono::duration<double>(net::read_clock().monotonic - started.monotonic).count();
  const SyncSummary summary{params, chain, engine, open.wallet, driver, seconds, before, options.source};
  print_sync_summary(summary, common.json);
  return ExitCode::Done;
}

}  // namespace spv::cli
