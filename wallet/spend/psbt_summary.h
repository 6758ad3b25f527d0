// What a PSBT does, to be shown before it is signed: who pays, who gets it, what it costs, and what is doubtful.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wallet/spend/fee_limits.h"
#include "wallet/spend/fee_rate.h"
#include "wallet/spend/psbt_check.h"

namespace spv::wallet::spend {

struct PsbtInputSummary {
  chain::OutPoint outpoint;
  std::optional<chain::TxOutput> spent;
  Evidence evidence = Evidence::None;
  bool ours = false;
  std::optional<KeyId> key;
  std::string path;                  // of our key
  std::size_t signatures = 0;        // that verify
  std::optional<std::size_t> needs;  // in all; nothing for a script that is not understood
  bool final = false;
  bool complete = false;  // final, or only to be finalised
};

struct PsbtOutputSummary {
  chain::TxOutput output;
  bool ours = false;  // derived by our keys, whatever the file says
  bool change = false;
  std::optional<KeyId> key;
  std::string path;
};

struct PsbtSummary {
  std::uint32_t version = 0;
  std::vector<PsbtInputSummary> inputs;
  std::vector<PsbtOutputSummary> outputs;
  chain::Amount sent = 0;             // to others than us
  std::optional<chain::Amount> fee;   // where all inputs are known
  std::optional<std::int64_t> vsize;  // once it is signed, at most; where all scripts are understood
  std::optional<FeeRate> fee_rate;    // rounded down
  std::optional<double> fee_percent;  // of what is sent, or of all where all is ours
  bool complete = false;              // no signature is missing
  std::vector<PsbtError> problems;    // sign_psbt would refuse it for these
  std::vector<std::string> warnings;  // the same as text, and all else that is doubtful
};

/// Refuses a fee that is out of proportion, where it is known: what cannot be signed without it is refused by the
/// checks of each input. Where all of it comes back to us, the fee is measured by all that is moved.
Checked check_fee(const PsbtSummary& summary, const Allowed& allowed);

PsbtSummary describe(const Psbt& psbt, const PsbtWallet& wallet, const SignPolicy& policy = {});

}  // namespace spv::wallet::spend
