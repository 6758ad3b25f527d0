// `spv proof`: a file that proves that a block holds a transaction of the wallet.
#include "client/proof.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/find_transaction.h"
#include "cli/wallet/wallet_file.h"
#include "util/hex.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const ProofOptions& options) {
  const OpenWallet open = open_wallet(common, Access::Read);
  const auto& record = find_transaction(open.wallet, options.txid);
  if (open.wallet.entry(record.txid)->status == wallet::TxStatus::Conflicted) {
    throw CommandError(ExitCode::Failed, "no-proof",
                       "the transaction is conflicted and in no block; a proof needs a block (see spv tx)");
  }
  const auto made = client::make_proof(record, common.network, read_headers(common).get());
  if (!made) throw CommandError(ExitCode::Failed, "no-proof", made.error());
  const auto& proof = *made;
  const std::string text = bip37::encode_proof(proof);
  if (!common.json) {
    fmt::print("{}", text);
    return ExitCode::Done;
  }
  util::Writer merkleblock;
  proof.header.encode(merkleblock);
  proof.tree.encode(merkleblock);
  print_json({{"txid", util::to_string(record.txid)},
              {"block", util::to_string(proof.header.hash())},
              {"height", proof.height},
              {"merkleblock", util::to_hex(merkleblock.data())},
              {"proof", text}});
  return ExitCode::Done;
}

}  // namespace spv::cli
