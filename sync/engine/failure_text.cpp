#include "sync/engine/failure_text.h"

#include <string>

namespace spv::sync {

Failure describe_failure(const PeerPool& pool, const chain::HeaderChain& chain) {
  const std::string tried = pool.errors();
  if (pool.any_lacked_bloom()) {
    return {
        Failure::Code::NoBloomPeers,
        "no peer offers bloom filters (NODE_BLOOM): " + tried +
            "; on your own node set peerbloomfilters=1 in bitcoin.conf and restart it, or take whole blocks from it "
            "(--source blocks)"};
  }
  if (pool.any_lacked_blocks()) {
    return {Failure::Code::NoServingPeers,
            "no peer serves the best chain known here (height " + std::to_string(chain.height()) + "): " + tried +
                "; use a peer that is up to date, or another --datadir if the network was started anew"};
  }
  return {Failure::Code::NoPeers,
          "no usable peer: " + tried +
              (pool.uses_book() ? "; check the connection to the internet, or name a node with --connect"
                                : "; check the address, that the node is running, and that it is on " +
                                      std::string(chain.params().name))};
}

}  // namespace spv::sync
