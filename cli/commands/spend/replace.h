// What `spv bump` and `spv cancel` share: a transaction of ours takes the place of another.
#pragma once

#include <functional>
#include <string>

#include "cli/error.h"
#include "cli/options/options.h"
#include "wallet/spend/replacement.h"

namespace spv::cli {

using MakeReplacement = std::function<util::Expected<wallet::spend::Replacement, wallet::spend::PaymentError>(
    const wallet::spend::Original&, const wallet::spend::ReplaceRequest&, const wallet::spend::SpendContext&)>;

ExitCode replace(const CommonOptions& common, const SpendOptions& options, const std::string& txid,
                 const MakeReplacement& make);

}  // namespace spv::cli
