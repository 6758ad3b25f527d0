// FollowedWallets: which wallets belong to the shards that this process holds, and which came and went since it last
// looked.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/postgres/leases.h"
#include "store/postgres/notices.h"
#include "store/store.h"

namespace spv::store::postgres {

class FollowedWallets {
 public:
  /// Where it throws, it is as it was.
  LeasedWallets update(Connection& connection, const std::vector<HeldShard>& held, const Notices::WalletNews& news);

  [[nodiscard]] std::size_t count() const;

 private:
  struct Shard {
    std::int64_t epoch = 0;
    std::set<std::string> wallets;
  };
  using Shards = std::map<std::int16_t, Shard>;
  [[nodiscard]] bool is_known(const HeldShard& shard) const;
  /// Those that it followed already as they were; the others without wallets.
  [[nodiscard]] Shards shards_now(const std::vector<HeldShard>& held, const std::set<std::int16_t>& to_read) const;

  Shards shards_;
};

}  // namespace spv::store::postgres
