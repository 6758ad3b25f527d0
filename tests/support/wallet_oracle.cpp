#include "tests/support/wallet_oracle.h"

#include <algorithm>
#include <sstream>

#include "util/hex.h"

namespace spv::test {
namespace {

struct Key {
  std::size_t chain = 0;
  std::uint32_t index = 0;
};

std::map<util::Bytes, Key> own_scripts(const wallet::WalletConfig& config, const std::vector<std::uint32_t>& counts) {
  // Deriving is slow and the same in every call of a test program.
  static std::vector<std::vector<util::Bytes>> cache(2);
  std::map<util::Bytes, Key> own;
  for (std::size_t chain = 0; chain < counts.size(); ++chain) {
    while (cache[chain].size() < counts[chain]) {
      const auto next = static_cast<std::uint32_t>(cache[chain].size());
      cache[chain].push_back(config.key_chains[chain].descriptor.script_at(next).value());
    }
    for (std::uint32_t index = 0; index < counts[chain]; ++index) own[cache[chain][index]] = {chain, index};
  }
  return own;
}

}  // namespace

OracleResult scan_all(const ChainBuilder& chain, const wallet::WalletConfig& config,
                      const std::vector<std::uint32_t>& scripts) {
  OracleResult result;
  result.last_used.resize(scripts.size());
  const auto own = own_scripts(config, scripts);
  std::map<chain::OutPoint, chain::Height> immature;
  for (chain::Height height = config.birthday; height <= chain.height(); ++height) {
    const Block& block = chain.block(height);
    for (std::size_t i = 0; i < block.txs.size(); ++i) {
      bool ours = false;
      for (const auto& input : block.txs[i].inputs) ours = result.coins.erase(input.previous) > 0 || ours;
      for (std::uint32_t n = 0; n < block.txs[i].outputs.size(); ++n) {
        const auto found = own.find(block.txs[i].outputs[n].script_pubkey);
        if (found == own.end()) continue;
        ours = true;
        const chain::OutPoint outpoint{block.txids[i], n};
        result.coins[outpoint] = block.txs[i].outputs[n].value;
        if (i == 0) immature[outpoint] = height;
        auto& last = result.last_used[found->second.chain];
        last = std::max(last.value_or(0), found->second.index);
      }
      if (ours) result.history[block.txids[i]] = height;
    }
  }
  for (const auto& [outpoint, value] : result.coins) {
    const auto coinbase = immature.find(outpoint);
    const bool young = coinbase != immature.end() && chain.height() - coinbase->second + 1 < chain::kCoinbaseMaturity;
    (young ? result.balance.immature : result.balance.confirmed) += value;
  }
  return result;
}

std::vector<std::uint32_t> gap_limit_closure(const ChainBuilder& chain, const wallet::WalletConfig& config) {
  std::vector<std::uint32_t> windows(config.key_chains.size(), config.gap_limit);
  for (bool grown = true; grown;) {
    grown = false;
    const auto result = scan_all(chain, config, windows);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const std::uint32_t needed = (result.last_used[i] ? *result.last_used[i] + 1 : 0) + config.gap_limit;
      if (needed <= windows[i]) continue;
      windows[i] = needed;
      grown = true;
    }
  }
  return windows;
}

std::string compare_with_chain(const wallet::Wallet& wallet, const wallet::WalletState& state,
                               const ChainBuilder& chain) {
  std::ostringstream wrong;
  std::vector<std::uint32_t> watched;
  for (const auto& key_chain : state.key_chains) watched.push_back(key_chain.watched);
  const auto closure = gap_limit_closure(chain, wallet.config());
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (watched[i] < closure[i]) wrong << "watches " << watched[i] << " of " << closure[i] << " scripts; ";
  }
  const auto expected = scan_all(chain, wallet.config(), watched);
  const auto balance = wallet.balance();
  if (balance.confirmed != expected.balance.confirmed || balance.immature != expected.balance.immature) {
    wrong << "balance " << balance.confirmed << "+" << balance.immature << " instead of " << expected.balance.confirmed
          << "+" << expected.balance.immature << "; ";
  }
  std::map<chain::Txid, chain::Height> found;
  for (const auto& entry : wallet.history()) {
    if (entry.confirmation) found[entry.txid] = entry.confirmation->block.height;
    if (entry.confirmation && !chain.contains(entry.confirmation->block)) wrong << "confirmed off the chain; ";
  }
  for (const auto& [txid, height] : expected.history) {
    const auto entry = found.find(txid);
    if (entry == found.end()) {
      wrong << "missed a transaction of block " << height << "; ";
    } else if (entry->second != height) {
      wrong << "has a transaction of block " << height << " at " << entry->second << "; ";
    }
  }
  if (wallet.scan().scanned_to != chain.tip()) wrong << "scanned to " << wallet.scan().scanned_to.height << "; ";
  if (wallet.scan().backfill) wrong << "owes a second look; ";
  return wrong.str();
}

}  // namespace spv::test
