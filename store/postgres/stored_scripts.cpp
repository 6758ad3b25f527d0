#include "store/postgres/stored_scripts.h"

#include <optional>
#include <vector>

#include "store/checks.h"
#include "store/postgres/wallet_sql.h"

namespace spv::store::postgres {

Command insert_key_chain(std::int64_t wallet, std::size_t chain, const wallet::KeyChainConfig& config,
                         const wallet::KeyChainState& state) {
  return {sql::kInsertKeyChain, Params()
                                    .bigint(wallet)
                                    .smallint(static_cast<std::int16_t>(chain))
                                    .text(config.descriptor.to_string())
                                    .boolean(config.change)
                                    .bigint(state.watched)
                                    .bigint(state.last_used)
                                    .bigint(state.next_unissued)};
}

wallet::ChainScripts derive_scripts(const wallet::Descriptor& descriptor, std::size_t chain, std::uint32_t first,
                                    std::uint32_t end) {
  wallet::ChainScripts out{.chain = chain, .first = first, .scripts = {}};
  descriptor.each_script(first, end, [&](util::ByteView script) { out.scripts.push_back(script); });
  return out;
}

void NewScripts::add(std::int64_t wallet, wallet::ChainScripts scripts) {
  if (!scripts.scripts.empty()) all_.emplace_back(wallet, std::move(scripts));
}

void NewScripts::fill(std::int64_t wallet, const wallet::Descriptor& descriptor, std::size_t chain,
                      std::uint32_t stored, std::uint32_t watched) {
  add(wallet, derive_scripts(descriptor, chain, stored, watched));
}

void NewScripts::add_to(WriteBatch& batch) const {
  for (const auto& [wallet, scripts] : all_) batch.add_scripts(wallet, scripts);
}

void NewScripts::add_to(WriteBatch& batch, Connection& connection) {
  if (all_.empty()) return;
  add_to(batch);
  std::set<std::int64_t> wallets;
  for (const auto& [wallet, scripts] : all_) wallets.insert(wallet);
  const Result rows = connection.run(sql::kRawTransactions, Params().bigints({wallets.begin(), wallets.end()}));
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    auto tx = chain::Transaction::parse(rows.bytea(row, 0));
    require_sound(tx.has_value(), "a transaction");
    const chain::Txid txid = tx->txid();
    held_.insert_or_assign(txid, std::move(*tx));
  }
  for (const std::int64_t wallet : wallets) batch.look_for_coins(wallet);
  for (const auto& [txid, tx] : held_) batch.look_through(txid, tx);
}

}  // namespace spv::store::postgres
