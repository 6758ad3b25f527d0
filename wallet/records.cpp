#include "wallet/records.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "util/ensure.h"

namespace spv::wallet {
namespace {

template <typename T, typename Key>
void replace_or_add(std::vector<T>& items, T item, Key key) {
  const auto found = std::find_if(items.rbegin(), items.rend(), [&](const T& held) { return key(held) == key(item); });
  if (found == items.rend()) {
    items.push_back(std::move(item));
  } else {
    *found = std::move(item);
  }
}

/// Adds scripts to those of the same chain, which they follow.
void add_scripts(std::vector<ChainScripts>& all, ChainScripts later) {
  const auto held = std::ranges::find(all, later.chain, &ChainScripts::chain);
  if (held == all.end()) {
    all.push_back(std::move(later));
  } else {
    util::ensure(later.first == held->first + held->scripts.size(), "scripts are derived in order");
    held->scripts.append(later.scripts);
  }
}

}  // namespace

void Changes::merge(Changes later) {
  for (TxRecord& record : later.transactions) {
    replace_or_add(transactions, std::move(record), [](const TxRecord& r) { return r.txid; });
  }
  for (KeyChainChange& change : later.key_chains) {
    replace_or_add(key_chains, change, [](const KeyChainChange& c) { return c.chain; });
  }
  if (later.scan) scan = std::move(later.scan);
  widened = widened || later.widened;
  if (later.birthday) birthday = later.birthday;
  std::ranges::move(later.events, std::back_inserter(events));
  if (later.synced) synced = later.synced;
  for (ChainScripts& each : later.scripts) add_scripts(scripts, std::move(each));
  balance = later.balance;  // without one, what is held is of an earlier state
}

}  // namespace spv::wallet
