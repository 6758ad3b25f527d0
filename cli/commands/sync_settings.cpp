#include "cli/commands/sync_settings.h"

#include "cli/commands/peer_address.h"
#include "cli/error.h"

namespace spv::cli {
namespace {

NetworkId to_id(chain::Network network) {
  switch (network) {
    case chain::Network::Main:
      return NetworkId::Main;
    case chain::Network::Testnet3:
      return NetworkId::Testnet;
    case chain::Network::Testnet4:
      return NetworkId::Testnet4;
    case chain::Network::Signet:
      return NetworkId::Signet;
    case chain::Network::Regtest:
      return NetworkId::Regtest;
  }
  return NetworkId::Testnet4;
}

// Rounded up: the least wait that is given is still one.
std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

void check_addresses(const CommonOptions& common, const SyncOptions& options) {
  const auto port = chain::params(common.network).default_port;
  for (const auto& text : options.connect) {
    if (parse_peer_address(text, port).host.ends_with(".onion") && !options.proxy) {
      throw UsageError("'" + text + "' can only be reached through Tor; add --proxy 127.0.0.1:9050 or where yours is");
    }
  }
  if (options.proxy) static_cast<void>(parse_peer_address(*options.proxy, port));
}

}  // namespace

Options settings_of(const CommonOptions& common, const SyncOptions& options) {
  check_addresses(common, options);
  Options out;
  out.data_dir = common.datadir.string();
  out.network = to_id(common.network);
  out.peers = options.connect;
  out.peer_count = options.peers;
  out.proxy = options.proxy.value_or("");
  out.fp_rate = options.fp_rate;
  out.mempool_wait = to_milliseconds(options.mempool_wait);
  out.follow = options.follow;
  out.transport = options.transport == "v1"   ? Transport::V1
                  : options.transport == "v2" ? Transport::V2
                                              : Transport::Auto;
  out.cross_check = options.cross_check == "off"    ? CrossCheck::Off
                    : options.cross_check == "full" ? CrossCheck::Full
                                                    : CrossCheck::Sample;
  out.source = options.source == "blocks"    ? Source::Blocks
               : options.source == "compact" ? Source::Compact
               : options.source == "auto"    ? Source::Auto
                                             : Source::Filter;
  out.only_bloom_filters = options.source_given && options.source == "filter";
  out.max_download = options.max_download;
  if (options.timeout) out.timeout = to_milliseconds(*options.timeout);
  return out;
}

}  // namespace spv::cli
