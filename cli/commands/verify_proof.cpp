// `spv verify-proof`: checks a proof offline, against the local headers or the work of its own.
#include <cstring>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "bip37/tx_proof.h"
#include "cli/commands/commands.h"
#include "cli/input_file.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "client/proof.h"

namespace spv::cli {
namespace {

[[noreturn]] void invalid(const std::string& why) {
  throw CommandError(ExitCode::Failed, "invalid-proof", "the proof is invalid: " + why);
}

std::string read_text(const std::string& path) {
  auto text = read_input<std::string>(path, bip37::kMaxProofText);
  if (!text) {
    throw CommandError(ExitCode::Failed, "proof-file",
                       "cannot read the proof '" + path + "': " + std::strerror(text.error()));
  }
  return std::move(*text);
}

/// What the proof rests on: the local chain, or its own headers.
struct Standing {
  chain::Height confirmations = 0;
  std::optional<chain::Uint256> own_work;
};

Standing against_local_headers(const CommonOptions& common, const bip37::TxProof& proof) {
  const auto headers = read_headers(common);
  const chain::Height tip = headers ? headers->tip_height() : -1;
  const auto unknown = [&](const std::string& why) {
    throw CommandError(ExitCode::Failed, "unknown-block",
                       why + "; run spv sync first, or use --trust-headers to go by the work in the proof alone");
  };
  switch (client::place_of(proof, headers.get())) {
    case client::ProofPlace::AboveTip:
      unknown(fmt::format("block {} is not among the local headers", proof.height));
      break;
    case client::ProofPlace::TooLittleWork:
      unknown("the local headers are not complete yet");
      break;
    case client::ProofPlace::BelowBase:
      unknown(fmt::format("the local headers begin at block {}, above this one", headers->base_height()));
      break;
    case client::ProofPlace::Elsewhere:
      invalid(fmt::format("its block is not block {} of the best chain known here", proof.height));
    case client::ProofPlace::OnChain:
      break;
  }
  return {tip - proof.height + 1, std::nullopt};
}

Standing against_own_headers(const bip37::TxProof& proof) {
  const auto work = bip37::check_own_work(proof);
  if (!work) invalid(std::string(to_string(work.error())));
  return {static_cast<chain::Height>(proof.following.size()) + 1, *work};
}

boost::json::object to_json(const bip37::TxProof& proof, const Standing& standing) {
  boost::json::object out{{"valid", true},
                          {"txid", util::to_string(proof.tx.txid())},
                          {"block", util::to_string(proof.header.hash())},
                          {"height", proof.height},
                          {"confirmations", standing.confirmations}};
  if (standing.own_work) out.emplace("work", standing.own_work->to_hex());
  return out;
}

void print_text(const bip37::TxProof& proof, const Standing& standing) {
  print_line("valid: the block holds the transaction");
  Table table({{"", false}, {"", false}});
  table.add({"transaction", util::to_string(proof.tx.txid())});
  table.add({"block", fmt::format("{}  {}", proof.height, util::to_string(proof.header.hash()))});
  table.add({"confirmations", std::to_string(standing.confirmations)});
  table.add({"rests on", standing.own_work ? fmt::format("its own headers: about 2^{} hashes of work, on a chain that "
                                                         "is not checked further",
                                                         standing.own_work->bit_length() - 1)
                                           : std::string("the headers that spv sync has verified")});
  table.print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const VerifyProofOptions& options) {
  const auto proof = bip37::parse_proof(read_text(options.file));
  if (!proof) invalid(std::string(to_string(proof.error())));
  if (proof->network != common.network) {
    const auto name = chain::params(proof->network).name;
    throw CommandError(ExitCode::Failed, "wrong-network",
                       fmt::format("the proof is for {}, not for {}; use --network {}", name,
                                   chain::params(common.network).name, name));
  }
  if (const auto ok = bip37::check_membership(*proof); !ok) invalid(std::string(to_string(ok.error())));
  const Standing standing = options.trust_headers ? against_own_headers(*proof) : against_local_headers(common, *proof);
  if (common.json) {
    print_json(to_json(*proof, standing));
  } else {
    print_text(*proof, standing);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
