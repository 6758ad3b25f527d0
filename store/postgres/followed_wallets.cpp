#include "store/postgres/followed_wallets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "store/postgres/wallet_sql.h"

namespace spv::store::postgres {
namespace {

void read_shards_into(Connection& connection, const std::set<std::int16_t>& shards,
                      std::map<std::string, std::int16_t>& found) {
  if (shards.empty()) return;
  const Result rows = connection.run(sql::kNamesOfShards, Params().smallints({shards.begin(), shards.end()}));
  for (std::size_t row = 0; row < rows.rows(); ++row) found.emplace(rows.text(row, 0), shard_of(rows.text(row, 0)));
}

std::set<std::string> existing_of(Connection& connection, const std::set<std::string>& names) {
  std::set<std::string> out;
  if (names.empty()) return out;
  const Result rows = connection.run(sql::kExistingOf, Params().texts({names.begin(), names.end()}));
  for (std::size_t row = 0; row < rows.rows(); ++row) out.emplace(rows.text(row, 0));
  return out;
}

std::vector<std::string> missing_in(const std::set<std::string>& all, const std::set<std::string>& others) {
  std::vector<std::string> out;
  std::ranges::set_difference(all, others, std::back_inserter(out));
  return out;
}

}  // namespace

std::size_t FollowedWallets::count() const {
  std::size_t out = 0;
  for (const auto& [id, shard] : shards_) out += shard.wallets.size();
  return out;
}

bool FollowedWallets::is_known(const HeldShard& shard) const {
  const auto found = shards_.find(shard.id);
  return found != shards_.end() && found->second.epoch == shard.epoch;
}

FollowedWallets::Shards FollowedWallets::shards_now(const std::vector<HeldShard>& held,
                                                    const std::set<std::int16_t>& to_read) const {
  Shards now;
  for (const HeldShard& shard : held) {
    now[shard.id].epoch = shard.epoch;
    if (!to_read.contains(shard.id)) now[shard.id].wallets = shards_.at(shard.id).wallets;
  }
  return now;
}

LeasedWallets FollowedWallets::update(Connection& connection, const std::vector<HeldShard>& held,
                                      const Notices::WalletNews& news) {
  std::set<std::int16_t> to_read;
  for (const HeldShard& shard : held) {
    if (news.all || !is_known(shard)) to_read.insert(shard.id);
  }
  std::map<std::string, std::int16_t> read;
  read_shards_into(connection, to_read, read);
  const std::set<std::string> existing = existing_of(connection, news.names);

  Shards now = shards_now(held, to_read);
  for (const auto& [name, shard] : read) {
    if (const auto place = now.find(shard); place != now.end()) place->second.wallets.insert(name);
  }
  for (const auto& name : news.names) {
    const auto place = now.find(shard_of(name));
    if (place == now.end()) continue;
    if (existing.contains(name)) place->second.wallets.insert(name);
    if (!existing.contains(name)) place->second.wallets.erase(name);
  }

  LeasedWallets out;
  const auto add = [](std::vector<std::string>& to, std::vector<std::string> names) {
    std::ranges::move(names, std::back_inserter(to));
  };
  for (const auto& [id, shard] : shards_) {
    const auto place = now.find(id);
    const bool kept = place != now.end() && place->second.epoch == shard.epoch;
    add(out.gone, missing_in(shard.wallets, kept ? place->second.wallets : std::set<std::string>{}));
  }
  for (const auto& [id, shard] : now) {
    const bool kept = is_known({.id = id, .epoch = shard.epoch});
    add(out.taken, missing_in(shard.wallets, kept ? shards_.at(id).wallets : std::set<std::string>{}));
  }
  shards_ = std::move(now);
  return out;
}

}  // namespace spv::store::postgres
