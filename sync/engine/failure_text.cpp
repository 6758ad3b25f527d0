#include "sync/engine/failure_text.h"

#include <string>

namespace spv::sync {
namespace {

Failure no_peers(std::string message) { return {Failure::Code::NoPeers, std::move(message)}; }

std::string banned_text(std::size_t peers) {
  return (peers == 1 ? "the only known peer is banned" : "all " + std::to_string(peers) + " known peers are banned") +
         "; spv peers shows why, spv peers unban ADDRESS lifts a ban, --connect HOST uses another node";
}

}  // namespace

Failure describe_failure(const PeerPool& pool, const chain::HeaderChain& chain) {
  const std::string tried = pool.errors();
  if (pool.any_lacked_bloom()) {
    return {Failure::Code::NoBloomPeers,
            "no peer offers bloom filters (NODE_BLOOM): " + tried +
                "; on your own node set peerbloomfilters=1 in bitcoin.conf and restart it, or download whole blocks "
                "from it (--source blocks)"};
  }
  if (pool.any_lacked_compact_filters()) {
    return {Failure::Code::NoCompactPeers,
            "no peer offers compact block filters (NODE_COMPACT_FILTERS): " + tried +
                "; on your own node set blockfilterindex=1 and peerblockfilters=1 in bitcoin.conf and restart it, or "
                "choose another --source"};
  }
  if (pool.any_lacked_blocks()) {
    return {Failure::Code::NoServingPeers,
            "no peer serves the best chain known here (height " + std::to_string(chain.height()) + "): " + tried +
                "; use a peer that is up to date, or another --datadir if the network was reset"};
  }
  if (pool.all_banned() > 0) return no_peers(banned_text(pool.all_banned()));
  const std::string network(chain.params().name);
  return no_peers("no usable peer: " + tried +
                  (pool.uses_book() ? "; check your internet connection, or name a node with --connect"
                                    : "; check the address, that the node is running, and that it is on " + network));
}

}  // namespace spv::sync
