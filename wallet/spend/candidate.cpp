#include "wallet/spend/candidate.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "chain/types.h"

namespace spv::wallet::spend {
namespace {

/// Nothing but its standing can keep it from being spent.
bool is_free(const Candidate& coin) {
  return !coin.reserved && !coin.frozen && coin.weight && coin.value() > 0 && chain::is_money(coin.value());
}

/// Adds unconfirmed coins in this order while any choice among them has few enough ancestors.
void add_unconfirmed(const CoinRefs& coins, CoinRefs& list) {
  std::set<chain::Txid> made_by;
  std::uint64_t ancestors = 0;
  for (const Candidate* coin : coins) {
    const bool known = made_by.contains(coin->outpoint.txid);
    const std::uint64_t more = known ? 0 : std::max<std::uint64_t>(coin->ancestors, 1);
    if (ancestors + more > kMaxAncestors) continue;
    ancestors += more;
    made_by.insert(coin->outpoint.txid);
    list.push_back(coin);
  }
}

/// Two lists: with the coins that have the fewest ancestors, and with the largest.
void add_lists(const CoinRefs& confirmed, CoinRefs unconfirmed, std::vector<CoinRefs>& lists) {
  if (unconfirmed.empty()) return;
  std::sort(unconfirmed.begin(), unconfirmed.end(), [](const Candidate* a, const Candidate* b) {
    return std::tuple(a->ancestors, -a->value(), a->outpoint) < std::tuple(b->ancestors, -b->value(), b->outpoint);
  });
  CoinRefs fewest = confirmed;
  add_unconfirmed(unconfirmed, fewest);
  const bool all = fewest.size() == confirmed.size() + unconfirmed.size();
  lists.push_back(std::move(fewest));
  if (all) return;
  std::sort(unconfirmed.begin(), unconfirmed.end(), [](const Candidate* a, const Candidate* b) {
    return std::tuple(-a->value(), a->ancestors, a->outpoint) < std::tuple(-b->value(), b->ancestors, b->outpoint);
  });
  CoinRefs largest = confirmed;
  add_unconfirmed(unconfirmed, largest);
  lists.push_back(std::move(largest));
}

/// Why a coin that the user named may not be spent.
std::optional<PaymentError> objection(const Candidate& coin, bool allow_unconfirmed) {
  const std::string name = "the coin " + to_string(coin.outpoint);
  if (coin.frozen) return PaymentError{"coin-frozen", name + " is frozen; unfreeze it first"};
  if (coin.reserved) {
    return PaymentError{"coin-reserved", name + " is reserved for a transaction that was not sent; abandon that first"};
  }
  if (coin.standing == CoinStanding::Immature) {
    return PaymentError{"coin-immature", name + " is of a coinbase and needs 100 confirmations first"};
  }
  if (coin.standing == CoinStanding::Foreign && !allow_unconfirmed) {
    return PaymentError{"coin-unconfirmed",
                        name +
                            " is unconfirmed and its sender may take it back; wait for a block, or allow it with "
                            "--unconfirmed"};
  }
  if (!is_free(coin)) {
    return PaymentError{"coin-unknown-script",
                        name + " cannot be spent: the wallet knows its script, but not its keys"};
  }
  return std::nullopt;
}

}  // namespace

std::string to_string(const chain::OutPoint& outpoint) {
  return util::to_string(outpoint.txid) + ":" + std::to_string(outpoint.index);
}

std::vector<CoinRefs> eligible_coins(std::span<const Candidate> coins, bool allow_unconfirmed) {
  CoinRefs confirmed;
  CoinRefs own;
  CoinRefs foreign;
  for (const Candidate& coin : coins) {
    if (!is_free(coin)) continue;
    if (coin.standing == CoinStanding::Confirmed) confirmed.push_back(&coin);
    if (coin.standing == CoinStanding::OwnChange) own.push_back(&coin);
    if (coin.standing == CoinStanding::Foreign) foreign.push_back(&coin);
  }
  std::vector<CoinRefs> lists{confirmed};
  add_lists(confirmed, own, lists);
  if (allow_unconfirmed && !foreign.empty()) {
    foreign.insert(foreign.end(), own.begin(), own.end());
    add_lists(confirmed, std::move(foreign), lists);
  }
  return lists;
}

util::Expected<CoinRefs, PaymentError> named_coins(std::span<const Candidate> coins,
                                                   std::span<const chain::OutPoint> wanted, bool allow_unconfirmed) {
  std::set<chain::OutPoint> missing(wanted.begin(), wanted.end());
  CoinRefs found;
  for (const Candidate& coin : coins) {
    if (missing.erase(coin.outpoint) == 0) continue;
    if (auto error = objection(coin, allow_unconfirmed)) return util::Unexpected{std::move(*error)};
    found.push_back(&coin);
  }
  if (!missing.empty()) {
    return refuse("coin-not-found", "the wallet has no unspent coin " + to_string(*missing.begin()));
  }
  return found;
}

std::string held_back(std::span<const Candidate> coins, bool allow_unconfirmed) {
  struct Kind {
    const char* name;
    chain::Amount sum = 0;
  };
  Kind frozen{"frozen"};
  Kind reserved{"reserved for a transaction that was not sent"};
  Kind immature{"of a young coinbase"};
  Kind unconfirmed{"unconfirmed; --unconfirmed allows it"};
  Kind unknown{"of scripts whose keys the wallet does not know"};
  for (const Candidate& coin : coins) {
    Kind* kind = nullptr;
    if (!coin.weight) kind = &unknown;
    if (coin.standing == CoinStanding::Foreign && !allow_unconfirmed) kind = &unconfirmed;
    if (coin.standing == CoinStanding::Immature) kind = &immature;
    if (coin.reserved) kind = &reserved;
    if (coin.frozen) kind = &frozen;
    if (kind != nullptr)
      kind->sum = std::min(kind->sum + std::clamp<chain::Amount>(coin.value(), 0, chain::kMaxMoney), chain::kMaxMoney);
  }
  std::string text;
  for (const Kind& kind : {unconfirmed, immature, reserved, frozen, unknown}) {
    if (kind.sum > 0) text += "; another " + std::to_string(kind.sum) + " sat are " + kind.name;
  }
  return text;
}

}  // namespace spv::wallet::spend
