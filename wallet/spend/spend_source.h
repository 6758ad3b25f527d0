// SpendSource: what a wallet offers to payments at one moment: its coins with what they weigh, scripts for change, and
// what it knows of transactions that are to be replaced or helped.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "util/expected.h"
#include "wallet/spend/payment.h"
#include "wallet/spend/replacement.h"
#include "wallet/wallet.h"

namespace spv::wallet::spend {

/// What a payment depends on besides the wallet.
struct SpendMoment {
  Tip tip;
  util::UnixTime now = 0;
  std::optional<FeeRate> floor = std::nullopt;  // what peers announce
};

class SpendSource {
 public:
  /// The wallet must outlive it, and not change.
  SpendSource(const Wallet& wallet, const SpendMoment& moment);
  SpendSource(const SpendSource&) = delete;
  SpendSource& operator=(const SpendSource&) = delete;
  ~SpendSource() = default;

  /// For make_payment and the like; refers to this.
  [[nodiscard]] SpendContext context() const;
  /// The transaction to replace; an error if the wallet does not have it.
  [[nodiscard]] util::Expected<Original, PaymentError> original(const chain::Txid& txid) const;
  /// The transaction that a child is to pay for.
  [[nodiscard]] util::Expected<Parent, PaymentError> parent(const chain::Txid& txid) const;
  /// How one of our scripts is spent.
  [[nodiscard]] std::optional<Solution> solve_key(const KeyId& key) const;

 private:
  [[nodiscard]] std::optional<InputWeight> weight_of(std::size_t chain) const;
  [[nodiscard]] Candidate to_candidate(const Coin& coin) const;
  [[nodiscard]] Candidate spent_by(const chain::TxInput& input) const;
  [[nodiscard]] std::vector<Descendant> descendants_of(const chain::Txid& txid) const;
  void offer_change();

  const Wallet& wallet_;
  SpendMoment moment_;
  std::array<std::uint8_t, 32> secret_{};
  std::vector<std::optional<InputWeight>> weights_;  // by key chain: all its scripts have the same form
  std::vector<Candidate> coins_;
  std::vector<ChangeScript> change_;
};

}  // namespace spv::wallet::spend
