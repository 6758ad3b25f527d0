// A wallet as a request describes it, as the client makes it.
#pragma once

#include <spv/result.h>

#include "chain/params.h"
#include "client/new_wallet.h"
#include "serve/api/requests.h"
#include "util/time.h"

namespace spv::serve {

/// `now`: by which a date is in the future.
Result<client::NewWallet> to_new_wallet(const NewWalletRequest& request, const chain::NetworkParams& params,
                                        util::UnixTime now);

}  // namespace spv::serve
