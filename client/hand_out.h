// Handing out addresses of a wallet that is not open here: in a store that other processes use at the same time.
#pragma once

#include <functional>
#include <spv/result.h>
#include <spv/types.h>
#include <string>

#include "chain/params.h"
#include "client/open_wallet.h"
#include "util/expected.h"

namespace spv::client {

struct AddressWanted {
  bool change = false;
  /// One that was never handed out before; else the current one, while it is unused.
  bool advance = false;
  /// pkh, sh-wpkh, wpkh, tr, …; empty: any.
  std::string type{};
};

/// Why there is none.
struct NoAddressGiven {
  enum class Reason {
    NoChain,    // the wallet has no addresses of that kind
    Fixed,      // it watches fixed addresses
    GapLimit,   // as many unused ones are handed out as the gap limit allows
    Contended,  // other processes were quicker, again and again
  };
  Reason reason{};
  std::uint32_t gap_limit = 0;
};
/// For those who do not use the command line.
Error to_error(const NoAddressGiven& none);

/// Opens the wallet, anew with each call.
using OpenAs = std::function<OpenWallet(store::Access)>;

/// The address is on disk before this returns: no other call gets it, in this process or another. Showing the current
/// one again writes nothing. Throws StoreError.
util::Expected<Address, NoAddressGiven> hand_out(const OpenAs& open, const AddressWanted& wanted,
                                                 const chain::NetworkParams& params);
util::Expected<Address, NoAddressGiven> hand_out(const std::shared_ptr<store::Store>& store, const std::string& name,
                                                 const AddressWanted& wanted, const chain::NetworkParams& params);

}  // namespace spv::client
