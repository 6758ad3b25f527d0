// What inputs and outputs weigh (BIP141), and below which amount an output is dust.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/transaction.h"
#include "chain/types.h"
#include "util/bytes.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/solution.h"

namespace spv::wallet::spend {

/// Nodes do not relay a heavier transaction, nor one of fewer bytes without its witness.
inline constexpr std::int64_t kMaxStandardWeight = 400'000;
inline constexpr std::int64_t kMinStrippedSize = 65;
/// Nodes count an output as dust that costs more than it is worth to spend at this rate.
inline constexpr FeeRate kDustRate{3'000};

/// A signed input with its outpoint and sequence.
struct InputWeight {
  std::int64_t weight = 0;
  bool segwit = false;  // has a witness; beside one that has, an input without weighs 1 more for its empty list
  friend bool operator==(const InputWeight&, const InputWeight&) = default;
};

/// Who signs: we make ECDSA signatures of at most 70 bytes (low R), other signers may need 71.
enum class SignatureSize { LowR, Any };

/// A multisig is counted with the longest signatures, since others sign with us.
InputWeight input_weight(const Solution& solution, SignatureSize size = SignatureSize::LowR);
/// Where the script alone tells (P2PKH with a compressed key, P2WPKH, P2TR by its key), else nothing.
std::optional<InputWeight> input_weight_of_script(util::ByteView script_pubkey);

/// What so many weight units cost, rounded up to a satoshi only: fees of parts may be added without the rounding of
/// each to a virtual byte.
constexpr chain::Amount fee_of_weight(FeeRate rate, std::int64_t weight) {
  return (rate.sat_per_kvb() * weight + 3'999) / 4'000;
}

/// In bytes.
std::int64_t output_size(util::ByteView script_pubkey);
/// The least amount that such an output may have.
chain::Amount dust_threshold(util::ByteView script_pubkey, FeeRate rate = kDustRate);

/// Adds up a transaction. Counts of inputs and outputs, marker and flag are exact.
class WeightCount {
 public:
  void add_input(const InputWeight& input);
  void add_output(util::ByteView script_pubkey);
  /// Counts as if an input with a witness will be added.
  void expect_segwit() { segwit_ = true; }
  [[nodiscard]] std::int64_t weight() const;
  [[nodiscard]] std::int64_t vsize() const { return virtual_bytes(weight()); }

 private:
  std::int64_t inputs_ = 0;
  std::int64_t legacy_ = 0;
  std::int64_t input_weight_ = 0;
  std::int64_t outputs_ = 0;
  std::int64_t output_bytes_ = 0;
  bool segwit_ = false;
};

/// The kinds of output scripts that have addresses.
enum class OutputKind { P2pkh, P2sh, P2wpkh, P2wsh, P2tr, Other };
OutputKind output_kind(util::ByteView script_pubkey);

}  // namespace spv::wallet::spend
