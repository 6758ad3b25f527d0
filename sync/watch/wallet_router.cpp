#include "sync/watch/wallet_router.h"

#include <algorithm>

namespace spv::sync {
namespace {

void sort_members(std::vector<MemberId>& members) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
}

}  // namespace

template <typename Each>
void WalletRouter::of_held(const chain::Transaction& tx, const chain::Txid& txid, const IsOwn& is_own,
                           Each each) const {
  each(fingerprints_.of_any_script(txid.view()));
  if (!tx.is_coinbase()) {  // all of those spend the same nothing
    for (const auto& input : tx.inputs) each(fingerprints_.of_outpoint(input.previous.bytes()));
  }
  for (std::uint32_t n = 0; n < tx.outputs.size(); ++n) {
    if (is_own(tx.outputs[n].script_pubkey)) each(fingerprints_.of_outpoint(chain::OutPoint{txid, n}.bytes()));
  }
}

void WalletRouter::add_transaction(const chain::Transaction& tx, const chain::Txid& txid, MemberId member,
                                   const IsOwn& is_own) {
  of_held(tx, txid, is_own, [&](WatchSet::Fingerprint fingerprint) { table_.add(fingerprint, member); });
}

void WalletRouter::remove_transaction(const chain::Transaction& tx, const chain::Txid& txid, MemberId member,
                                      const IsOwn& is_own) {
  of_held(tx, txid, is_own, [&](WatchSet::Fingerprint fingerprint) { table_.remove(fingerprint, member); });
}

std::vector<MemberId> WalletRouter::route(const chain::Transaction& tx) const {
  std::vector<MemberId> members;
  for (const auto& output : tx.outputs) table_.collect(fingerprints_.of_any_script(output.script_pubkey), members);
  for (const auto& input : tx.inputs) table_.collect(fingerprints_.of_outpoint(input.previous.bytes()), members);
  sort_members(members);
  return members;
}

std::vector<MemberId> WalletRouter::holders(const chain::Txid& txid) const {
  std::vector<MemberId> members;
  table_.collect(fingerprints_.of_any_script(txid.view()), members);
  sort_members(members);
  return members;
}

}  // namespace spv::sync
