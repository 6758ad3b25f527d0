#include "client/data_folder.h"

#include <cerrno>
#include <unistd.h>

#include "chain/checkpoints.h"
#include "store/rows.h"
#include "store/store_error.h"
#include "store/wallet_file.h"

namespace spv::client {

DataFolder::DataFolder(const std::filesystem::path& root, chain::Network network)
    : folder_(root / std::string(chain::params(network).name)) {}

void DataFolder::make() const {
  static_cast<void>(store::resolve_new(headers()));
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) {
    throw store::StoreError::from_errno(errno, "write to the folder", folder_.string());
  }
}

store::HeaderBase header_base(const chain::NetworkParams& params, const wallet::WalletConfig& config) {
  const auto point = config.birthday_time ? chain::start_point_before_time(params, *config.birthday_time)
                                          : chain::start_point_before(params, config.birthday);
  return point ? store::HeaderBase::at(*point) : store::HeaderBase::genesis(params);
}

}  // namespace spv::client
