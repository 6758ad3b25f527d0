#include "cli/header_base.h"

#include "chain/checkpoints.h"

namespace spv::cli {

store::HeaderBase header_base(const chain::NetworkParams& params, const wallet::WalletConfig& config) {
  const auto point = config.birthday_time ? chain::start_point_before_time(params, *config.birthday_time)
                                          : chain::start_point_before(params, config.birthday);
  return point ? store::HeaderBase::at(*point) : store::HeaderBase::genesis(params);
}

}  // namespace spv::cli
