// `spv verify-proof`: checks a proof offline, against the local headers or the work of its own.
#include <cstring>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "bip37/tx_proof.h"
#include "cli/commands/commands.h"
#include "cli/input_file.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "client/proof.h"
#include "report/values.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

[[noreturn]] void invalid(const std::string& why) {
  throw CommandError(ExitCode::Failed, "invalid-proof", "invalid proof: " + why);
}

std::string read_text(const std::string& path) {
  auto text = read_input<std::string>(path, bip37::kMaxProofText);
  if (!text) {
    throw CommandError(ExitCode::Failed, "proof-file",
                       "cannot read proof '" + path + "': " + std::strerror(text.error()));
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
                       why + "; run spv sync --network " + std::string(chain::params(proof.network).name) +
                           ", or use --trust-headers to check only the work in the proof");
  };
  switch (client::place_of(proof, headers.get())) {
    case client::ProofPlace::AboveTip:
      unknown(fmt::format("block {} is above the local headers", proof.height));
      break;
    case client::ProofPlace::TooLittleWork:
      unknown("the local headers are incomplete");
      break;
    case client::ProofPlace::BelowBase:
      unknown(fmt::format("the local headers start at block {}, above the proof's block {}", headers->base_height(),
                          proof.height));
      break;
    case client::ProofPlace::Elsewhere:
      invalid(fmt::format("its block is not block {} of the best chain", proof.height));
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

boost::json::array proof_outputs_json(const bip37::TxProof& proof) {
  boost::json::array list;
  for (const auto& output : proof.tx.outputs) {
    const auto address = wallet::address_of_script(output.script_pubkey, chain::params(proof.network));
    list.push_back({{"address", report::or_null(address)}, {"amount_sat", output.value}});
  }
  return list;
}

boost::json::object to_json(const bip37::TxProof& proof, const Standing& standing) {
  boost::json::object out{{"valid", true},
                          {"network", chain::params(proof.network).name},
                          {"txid", util::to_string(proof.tx.txid())},
                          {"block", util::to_string(proof.header.hash())},
                          {"height", proof.height},
                          {"confirmations", standing.confirmations},
                          {"outputs", proof_outputs_json(proof)}};
  if (standing.own_work) out.emplace("work", standing.own_work->to_hex());
  return out;
}

void print_text(const bip37::TxProof& proof, const Standing& standing, AmountUnit unit) {
  const auto& params = chain::params(proof.network);
  print_line("valid: the transaction is in the block");
  Table facts({{"", false}, {"", false, Narrow::Fold}});
  facts.add({"network", std::string(params.name)});
  facts.add({"transaction", util::to_string(proof.tx.txid())});
  facts.add({"block", fmt::format("{} {}", proof.height, util::to_string(proof.header.hash()))});
  facts.add({"confirmations", std::to_string(standing.confirmations)});
  facts.add({"verified by", standing.own_work ? fmt::format("the headers in the proof: about 2^{} hashes of work; not "
                                                            "checked against the best chain",
                                                            standing.own_work->bit_length() - 1)
                                              : std::string("the local headers")});
  facts.print();
  print_line("");
  Table outputs({{std::string(unit_name(unit)), true}, {"paid to", false, Narrow::Wrap}});
  for (const auto& output : proof.tx.outputs) {
    const auto address = wallet::address_of_script(output.script_pubkey, params);
    outputs.add({amount_text(output.value, unit), address ? *address : "script " + util::to_hex(output.script_pubkey)});
  }
  outputs.print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const VerifyProofOptions& options) {
  const auto proof = bip37::parse_proof(bip37::plain_proof_text(read_text(options.file)));
  if (!proof) invalid(std::string(to_string(proof.error())));
  if (const auto ok = bip37::check_membership(*proof); !ok) invalid(std::string(to_string(ok.error())));
  CommonOptions there = common;  // the proof says which network it is for
  there.network = proof->network;
  const Standing standing = options.trust_headers ? against_own_headers(*proof) : against_local_headers(there, *proof);
  if (common.json) {
    print_json(to_json(*proof, standing));
  } else {
    print_text(*proof, standing, common.unit);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
