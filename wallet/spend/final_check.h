// final_check: reads the bytes of a finished payment as a stranger would, before anyone gets them, and compares them
// with what the wallet has proven and what the user wants. It shares no code with those who made the payment: a mistake
// there does not become a loss here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "util/expected.h"
#include "wallet/spend/fee_rate.h"

namespace spv::wallet::spend {

/// A coin as the wallet has proven it.
struct ProvenCoin {
  chain::TxOutput output;
  /// Unspent, mature and reserved by no other payment. Of a replacement: spent by none but those that it replaces.
  bool spendable = false;
};

/// What the wallet knows; each answer in constant time.
struct WalletFacts {
  std::function<std::optional<ProvenCoin>(const chain::OutPoint&)> coin;
  /// Whether the wallet's own keys derive this script.
  std::function<bool(util::ByteView)> is_own;
};

/// What the user wants.
struct PaymentIntent {
  struct Input {
    chain::OutPoint outpoint;
    std::uint32_t sequence = 0;
  };

  std::vector<chain::TxOutput> recipients;  // exactly these amounts; none where all goes back to the wallet
  std::vector<util::Bytes> change_scripts;  // named by the user as change although they may not be ours
  FeeRate rate;                             // at least
  bool allow_high_fee = false;              // above 25% of the amount; never above 0.1 BTC
  std::int32_t version = 2;
  std::uint32_t lock_time = 0;
  std::vector<Input> inputs;  // in the order of the draft
};

struct FinalCheckError {
  enum class Code {
    Malformed,         // does not parse to one transaction, or not in its one encoding
    WrongDraft,        // version, lock time, inputs or their sequences are others than drafted
    DuplicateInput,    // spends a coin twice
    UnknownCoin,       // spends what is not ours
    CoinNotSpendable,  // spends what is spent, immature or reserved
    WrongRecipient,    // a recipient is not paid, or not this amount
    StrangeOutput,     // an output that nobody wants and that is not our change
    BadAmount,         // sums out of range, or the outputs are more than the inputs
    FeeTooHigh,
    FeeTooLow,
    Dust,
    TooHeavy,
    TooSmall,
    BadSignature,
  };
  Code code = Code::Malformed;
  std::string message;  // what is wrong and what to do
};

/// What the bytes turned out to be.
struct FinalReport {
  chain::Txid txid;
  chain::Amount fee = 0;
  std::int64_t weight = 0;
};

/// The payment may be stored and told to the network if there is no error.
util::Expected<FinalReport, FinalCheckError> check_finished(util::ByteView bytes, const PaymentIntent& intent,
                                                            const WalletFacts& facts);

}  // namespace spv::wallet::spend
