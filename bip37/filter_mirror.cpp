#include "bip37/filter_mirror.h"

#include "bip37/matcher.h"

namespace spv::bip37 {

bool FilterMirror::replay(const chain::Transaction& tx, const chain::Txid& txid) {
  return match_and_update(tx, txid, filter_);
}

}  // namespace spv::bip37
