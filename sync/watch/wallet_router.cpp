#include "sync/watch/wallet_router.h"

#include <algorithm>

namespace spv::sync {

void WalletRouter::add(WatchSet::Fingerprint fingerprint, MemberId member) {
  const auto known = entries_.find(fingerprint);
  if (known == entries_.end()) {
    entries_.emplace(fingerprint, member);
    return;
  }
  // The first one is not among the shared until a second comes.
  if (known->second == member) return;
  if (std::next(known) == entries_.end() || std::next(known)->first != fingerprint) {
    shared_.emplace(fingerprint, known->second);
  }
  if (shared_.emplace(fingerprint, member).second) entries_.emplace(fingerprint, member);
}

void WalletRouter::add_transaction(const chain::Transaction& tx, const chain::Txid& txid, MemberId member,
                                   const IsOwn& is_own) {
  for (const auto& input : tx.inputs) add(fingerprints_.of_outpoint(input.previous.bytes()), member);
  for (std::uint32_t n = 0; n < tx.outputs.size(); ++n) {
    if (!is_own(tx.outputs[n].script_pubkey)) continue;
    add(fingerprints_.of_outpoint(chain::OutPoint{txid, n}.bytes()), member);
  }
}

void WalletRouter::remove(MemberId member) {
  std::erase_if(entries_, [member](const auto& entry) { return entry.second == member; });
  std::erase_if(shared_, [member](const auto& entry) { return entry.second == member; });
}

std::vector<MemberId> WalletRouter::route(const chain::Transaction& tx) const {
  std::vector<MemberId> members;
  for (const auto& output : tx.outputs) collect(fingerprints_.of_any_script(output.script_pubkey), members);
  for (const auto& input : tx.inputs) collect(fingerprints_.of_outpoint(input.previous.bytes()), members);
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

void WalletRouter::collect(WatchSet::Fingerprint fingerprint, std::vector<MemberId>& out) const {
  const auto [first, last] = entries_.equal_range(fingerprint);
  for (auto entry = first; entry != last; ++entry) out.push_back(entry->second);
}

}  // namespace spv::sync
