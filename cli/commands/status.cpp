// `spv status`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "cli/output/scan_report.h"
#include "cli/wallet/wallet_file.h"
#include "cli/wallet/wallet_filter.h"
#include "client/clock.h"
#include "store/header_file.h"

namespace spv::cli {
namespace {

boost::json::object filter_json_of(wallet::Wallet& wallet) {
  const auto plan = wallet_filter(wallet);
  auto out = filter_json(plan);
  out.emplace("fp_expected", plan.fp_expected);
  return out;
}

struct ChainStatus {
  chain::BlockRef tip;
  chain::Height from = 0;
  chain::Uint256 work;
  util::UnixTime time = 0;  // of the tip; zero: not known
};

ChainStatus chain_status(const CommonOptions& common) {
  const auto& params = chain::params(common.network);
  const auto file = read_headers(common);
  if (!file) return {{0, params.genesis_hash}, 0, store::HeaderBase::genesis(params).work, 0};
  return {{file->tip_height(), file->hash_at(file->tip_height())},
          file->base_height(),
          file->tip_work(),
          file->at(file->tip_height()).time};
}

/// No block for this long means that the headers are out of date, or that all peers were (security.md E4).
bool is_stale(const chain::NetworkParams& params, util::UnixTime tip_time) {
  constexpr util::UnixTime kStaleSeconds = 5'400;
  return !params.no_retargeting && client::read_clock().wall > tip_time + kStaleSeconds;
}

bool is_watch_only(const OpenWallet& open) { return open.file.info().kind == store::WalletKind::Watch; }

boost::json::object to_json(const CommonOptions& common, OpenWallet& open, const ChainStatus& chain) {
  const auto& params = chain::params(common.network);
  const auto& scan = open.wallet.scan();
  return {{"network", params.name},
          {"wallet", common.wallet},
          {"height", chain.tip.height},
          {"tip", util::to_string(chain.tip.hash)},
          {"headers_from", chain.from},
          {"chain_work", chain.work.to_hex()},
          {"tip_time", time_or_null(chain.time)},
          {"stale", is_stale(params, chain.time)},
          {"peers", scan.peers},
          {"attested", attested_json(open.wallet)},
          {"scanned_to", scan.scanned_to.height},
          {"birthday", open.wallet.config().birthday},
          {"filter", filter_json_of(open.wallet)},
          {"wallet_type", is_watch_only(open) ? "watch-only" : "mnemonic"},
          {"gap_limit", open.wallet.config().gap_limit},
          {"encrypted", open.file.info().encrypted}};
}

void print_text(const CommonOptions& common, const OpenWallet& open, const ChainStatus& chain) {
  const auto& params = chain::params(common.network);
  const char* secret = open.file.info().encrypted ? "mnemonic, encrypted" : "mnemonic, without a passphrase";
  const char* age = is_stale(params, chain.time) ? "  (stale: no block for 90 minutes or more)" : "";
  Table table({{"", false}, {"", false}});
  table.add({"network", std::string(params.name)});
  table.add({"wallet", fmt::format("{} ({})", common.wallet, is_watch_only(open) ? "watch-only" : secret)});
  table.add({"headers", fmt::format("{}  {}{}", chain.tip.height, util::to_string(chain.tip.hash), age)});
  table.add({"headers from", std::to_string(chain.from)});
  table.add({"scanned to", std::to_string(open.wallet.scan().scanned_to.height)});
  table.add({"attested", attested_text(open.wallet)});
  table.add({"birthday", std::to_string(open.wallet.config().birthday)});
  table.add({"gap limit", std::to_string(open.wallet.config().gap_limit)});
  table.print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const StatusOptions&) {
  OpenWallet open = open_wallet(common, Access::Read);
  const auto chain = chain_status(common);
  if (common.json) {
    print_json(to_json(common, open, chain));
  } else {
    print_text(common, open, chain);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
