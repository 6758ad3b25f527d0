#include "p2p/other_networks.h"

#include "chain/params.h"

namespace spv::p2p {

std::vector<Magic> other_magics(const Magic& ours) {
  using chain::Network;
  std::vector<Magic> out;
  for (const auto network : {Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet, Network::Regtest}) {
    const Magic& magic = chain::params(network).magic;
    if (magic != ours) out.push_back(magic);
  }
  return out;
}

}  // namespace spv::p2p
