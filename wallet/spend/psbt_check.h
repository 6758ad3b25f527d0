// What a PSBT says, checked before anything is signed or shown: a file from outside may lie about amounts, scripts and
// change. What is ours is decided by the wallet and by deriving keys, never by a field of the file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "wallet/spend/psbt.h"
#include "wallet/spend/psbt_roles.h"
#include "wallet/spend/signer.h"
#include "wallet/spend/solution.h"

namespace spv::wallet::spend {

/// Longer paths than this, and last steps beyond that, no wallet uses: money sent there may never be found again.
inline constexpr std::size_t kMaxSaneDepth = 10;
inline constexpr std::uint32_t kMaxSaneIndex = 1'000'000;

/// How it is known what an input spends.
enum class Evidence {
  None,       // it is not known
  Claimed,    // witness_utxo alone: anybody can write that
  Committed,  // witness_utxo of a taproot output: a signature that relies on a lie is not valid (BIP341)
  Previous,   // the transaction that made it, by its txid
  Proven      // the wallet knows the coin
};
/// The name in JSON: "none", "claimed", "committed", "previous-transaction", "proven".
std::string_view to_string(Evidence evidence);

struct CheckedInput {
  std::optional<chain::TxOutput> spent;
  Evidence evidence = Evidence::None;
  std::optional<Solution> solution;  // the wallet's own; of strangers what the file says, hashes checked
  std::optional<KeyId> key;          // where it is a script of the wallet
  std::string path;                  // of our key
  bool ours = false;                 // a script of the wallet, or a key that our seed derives may sign
  bool final = false;
  std::vector<KeySignature> signatures;  // those of the file that verify
};

struct CheckedOutput {
  std::optional<KeyId> key;
  std::string path;
  bool ours = false;  // the wallet or our seed alone can spend it
  bool change = false;
};

struct CheckedPsbt {
  std::vector<CheckedInput> inputs;
  std::vector<CheckedOutput> outputs;
  std::vector<PsbtError> problems;    // any of them keeps us from signing
  std::vector<std::string> warnings;  // to be shown
};
CheckedPsbt check_psbt(const Psbt& psbt, const PsbtWallet& wallet, const SignPolicy& policy = {});

/// What the inputs spend; empty outputs where it is not known.
std::vector<chain::TxOutput> spent_outputs(const CheckedPsbt& checked);
bool knows_all_inputs(const CheckedPsbt& checked);

/// How a script is spent, by what a map of the file says of it; the hashes are checked.
std::optional<Solution> claimed_solution(const PsbtMap& map, util::ByteView script_pubkey, bool is_input);
/// The signatures of an input, for this script; not verified.
std::vector<KeySignature> signatures_in(const PsbtMap& input, util::ByteView script_pubkey);
bool is_taproot(util::ByteView script_pubkey);

}  // namespace spv::wallet::spend
