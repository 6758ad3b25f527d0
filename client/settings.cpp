#include "client/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "client/clock.h"
#include "client/peer_address.h"
#include "util/hex.h"

namespace spv::client {
namespace {

constexpr std::size_t kMaxPeerCount = 125;
constexpr std::chrono::hours kMaxMempoolWait{24};
/// Beyond it a clock's number might overflow.
constexpr std::chrono::milliseconds kMaxTimeout = std::chrono::years(10);
constexpr std::uint16_t kTorPort = 9050;
/// A circuit through Tor is not made in a moment.
constexpr util::Duration kProxyConnectTimeout = std::chrono::seconds(60);

Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

template <typename Choice>
bool is_one_of(Choice choice, Choice first, Choice last) {
  return choice >= first && choice <= last;
}

std::optional<Error> complaint_of_choices(const Options& options) {
  if (options.network == NetworkId::Unset) return invalid("no network is set; choose one");
  if (!is_one_of(options.network, NetworkId::Testnet, NetworkId::Main)) return invalid("invalid network");
  if (!is_one_of(options.transport, Transport::Auto, Transport::V2)) return invalid("invalid transport");
  if (!is_one_of(options.cross_check, CrossCheck::Sample, CrossCheck::Full)) return invalid("invalid cross-check mode");
  if (!is_one_of(options.source, Source::Filter, Source::Compact)) return invalid("invalid block source");
  if (options.whole_blocks && options.source == Source::Auto) {
    return invalid("whole_blocks cannot be combined with Source::Auto");
  }
  if (options.whole_blocks && options.source == Source::Compact) {
    return invalid("whole_blocks cannot be combined with Source::Compact");
  }
  return std::nullopt;
}

std::optional<Error> complaint_of_numbers(const Options& options) {
  if (!(options.fp_rate >= 0 && options.fp_rate < 1)) return invalid("the false positive rate must be between 0 and 1");
  if (options.peer_count > kMaxPeerCount) return invalid("peer_count must be at most 125");
  if (options.mempool_wait < options.mempool_wait.zero() || options.mempool_wait > kMaxMempoolWait) {
    return invalid("mempool_wait must be between 0 and one day");
  }
  if (options.timeout < options.timeout.zero() || options.timeout > kMaxTimeout) {
    return invalid("timeout must be between 0 (no limit) and ten years");
  }
  return std::nullopt;
}

std::optional<Error> complaint_of_addresses(const Options& options) {
  const auto good = [](const std::string& text) { return parse_peer_address(text, 1).has_value(); };
  for (const auto& peer : options.peers) {
    if (!good(peer)) return invalid("'" + peer + "' is not a valid address; use HOST, HOST:PORT or [IPV6]:PORT");
  }
  if (!options.proxy.empty() && !good(options.proxy)) {
    return invalid("'" + options.proxy + "' is not a valid proxy address; use HOST or HOST:PORT");
  }
  if (!options.proxy.empty() && options.connector) return invalid("connector cannot be combined with a proxy");
  return std::nullopt;
}

std::vector<PeerAddress> addresses(const std::vector<std::string>& texts, std::uint16_t port) {
  std::vector<PeerAddress> out;
  for (const auto& text : texts) {
    if (auto address = parse_peer_address(text, port)) out.push_back(std::move(*address));
  }
  return out;
}

std::optional<net::Proxy> proxy_of(const std::string& text) {
  const auto address = parse_peer_address(text, kTorPort);
  if (!address) return std::nullopt;
  std::array<std::uint8_t, 16> fresh{};
  fill_with_entropy(fresh);
  return net::Proxy{address->host, address->port, "spv", util::to_hex(fresh)};
}

net::Lookup lookup_of(const Options& options) {
  if (!options.lookup) return net::system_lookup;
  return [lookup = options.lookup](const std::string& name) {
    net::LookupResult found;
    found.addresses = lookup(name);
    if (found.addresses.empty()) found.error = "unknown host name";
    return found;
  };
}

sync::SourceMode mode_of(Source source) {
  if (source == Source::Auto) return sync::SourceMode::Auto;
  if (source == Source::Compact) return sync::SourceMode::Compact;
  return source == Source::Blocks ? sync::SourceMode::Blocks : sync::SourceMode::Filter;
}

sync::CrossCheckMode mode_of(CrossCheck check) {
  if (check == CrossCheck::Off) return sync::CrossCheckMode::Off;
  return check == CrossCheck::Full ? sync::CrossCheckMode::Full : sync::CrossCheckMode::Sample;
}

net::TransportChoice choice_of(Transport transport) {
  if (transport == Transport::V1) return net::TransportChoice::V1;
  return transport == Transport::V2 ? net::TransportChoice::V2 : net::TransportChoice::Auto;
}

}  // namespace

chain::Network to_network(NetworkId id) {
  switch (id) {
    case NetworkId::Main:
      return chain::Network::Main;
    case NetworkId::Testnet:
      return chain::Network::Testnet3;
    case NetworkId::Testnet4:
      return chain::Network::Testnet4;
    case NetworkId::Signet:
      return chain::Network::Signet;
    case NetworkId::Regtest:
      return chain::Network::Regtest;
    case NetworkId::Unset:
      break;
  }
  return chain::Network::Testnet4;
}

std::optional<Error> complaint(const Options& options) {
  if (options.data_dir.empty()) return invalid("data_dir is not set");
  if (auto wrong = complaint_of_choices(options)) return wrong;
  if (auto wrong = complaint_of_numbers(options)) return wrong;
  return complaint_of_addresses(options);
}

Source source_of(const Options& options) { return options.whole_blocks ? Source::Blocks : options.source; }

bool uses_compact_filters(const Options& options) {
  const Source source = source_of(options);
  return source == Source::Compact || source == Source::Auto ||
         (source == Source::Filter && !options.only_bloom_filters);
}

double fp_rate_of(const Options& options) { return options.fp_rate > 0 ? options.fp_rate : bip37::kDefaultFpRate; }

util::LogSink log_of(const Options& options) {
  if (!options.log) return {};
  return [log = options.log](util::LogLevel level, std::string_view text) { log(static_cast<int>(level), text); };
}

sync::EngineOptions engine_options(const Options& options, const chain::NetworkParams& params, p2p::AddressBook* book) {
  sync::EngineOptions out;
  out.peers = addresses(options.peers, params.default_port);
  if (book != nullptr) {
    out.book = sync::BookUse{
        book, std::max<std::size_t>(options.peer_count, 1), {.onion = !options.proxy.empty()}, fixed_addresses(params)};
  }
  if (options.connector || !options.proxy.empty()) out.connect_timeout = kProxyConnectTimeout;
  out.fp_rate = fp_rate_of(options);
  out.mempool_wait = options.mempool_wait;
  out.follow = options.follow;
  out.source.mode = mode_of(source_of(options));
  out.source.max_download = options.max_download;
  out.source.or_compact = !options.only_bloom_filters;
  out.cross_check = mode_of(options.cross_check);
  return out;
}

net::DriverOptions driver_options(const Options& options) {
  net::DriverOptions out;
  if (options.timeout > options.timeout.zero()) out.timeout = options.timeout;
  out.follow = options.follow;
  out.transport = choice_of(options.transport);
  out.plain_on_loopback = options.plain_on_loopback.value_or(source_of(options) != Source::Filter);
  if (!options.proxy.empty()) out.proxy = proxy_of(options.proxy);
  out.clock = clock_of(options);
  out.dial = options.connector;
  out.lookup = lookup_of(options);
  return out;
}

}  // namespace spv::client
