// `spv status`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/output/scan_report.h"
#include "cli/wallet/wallet_file.h"
#include "client/clock.h"
#include "report/filter.h"
#include "report/values.h"
#include "report/wallet_summary.h"
#include "store/header_file.h"

namespace spv::cli {
namespace {

boost::json::object filter_json_of(wallet::Wallet& wallet) {
  const auto plan = report::filter_of(wallet);
  auto out = report::filter_json(plan);
  out.emplace("fp_expected", plan.fp_expected);
  return out;
}

/// The best chain known, and how much of it is scanned.
struct ChainStatus {
  struct Stored {
    chain::BlockRef tip;
    chain::Height from = 0;
    chain::Uint256 work;
    util::UnixTime time = 0;  // of the tip
    bool stale = false;
  };
  std::optional<Stored> stored;  // none: there are no headers yet
  report::ScanProgress progress;
};

/// No block for this long means that the headers are out of date, or that all peers were (security.md E4).
bool is_stale(const chain::NetworkParams& params, util::UnixTime tip_time) {
  constexpr util::UnixTime kStaleSeconds = 5'400;
  return !params.no_retargeting && client::read_clock().wall > tip_time + kStaleSeconds;
}

ChainStatus chain_status(const CommonOptions& common, const wallet::Wallet& wallet) {
  const auto file = read_headers(common);
  if (!file) return {std::nullopt, report::scan_progress(wallet, nullptr)};
  const util::UnixTime time = file->at(file->tip_height()).time;
  return {ChainStatus::Stored{{file->tip_height(), file->hash_at(file->tip_height())},
                              file->base_height(),
                              file->tip_work(),
                              time,
                              is_stale(chain::params(common.network), time)},
          report::scan_progress(wallet, file.get())};
}

bool is_watch_only(const OpenWallet& open) { return open.stored->info().kind == store::WalletKind::Watch; }

void add_stored(boost::json::object& out, const std::optional<ChainStatus::Stored>& stored) {
  const auto known = [&](const auto& value) {
    return stored ? boost::json::value(value) : boost::json::value(nullptr);
  };
  const ChainStatus::Stored chain = stored.value_or(ChainStatus::Stored{});
  out.emplace("height", known(chain.tip.height));
  out.emplace("tip", known(util::to_string(chain.tip.hash)));
  out.emplace("headers_from", known(chain.from));
  out.emplace("chain_work", known(chain.work.to_hex()));
  out.emplace("tip_time", known(chain.time));
  out.emplace("stale", known(chain.stale));
}

boost::json::object to_json(const CommonOptions& common, OpenWallet& open, const ChainStatus& chain) {
  const auto& scan = open.wallet.scan();
  const auto& config = open.wallet.config();
  boost::json::object out{{"network", chain::params(common.network).name}, {"wallet", common.wallet}};
  add_stored(out, chain.stored);
  out.emplace("peers", scan.peers);
  out.emplace("attested", report::attested_json(open.wallet));
  out.emplace("scanned_to", report::or_null(report::scanned_to(open.wallet)));
  out.emplace("complete", chain.progress.complete);
  out.emplace("rescan", report::rescan_json(open.wallet));
  out.emplace("birthday", report::or_null(report::birthday_of(open.wallet)));
  out.emplace("filter", filter_json_of(open.wallet));
  out.emplace("wallet_type", is_watch_only(open) ? "watch-only" : "mnemonic");
  out.emplace("gap_limit", config.gap_limit);
  out.emplace("encrypted", open.stored->info().encrypted);
  return out;
}

void add_scan(const wallet::Wallet& wallet, const report::ScanProgress& progress, Table& table) {
  const auto& scan = wallet.scan();
  if (scan.scanned_to.hash.is_zero()) {
    table.add({"scanned to", incomplete_text(wallet, progress)});
    return;
  }
  table.add({"scanned to", std::to_string(scan.scanned_to.height)});
  if (scan.backfill)
    table.add({"rescan", fmt::format("blocks {} to {} pending", scan.backfill->from, scan.backfill->to)});
  if (!progress.complete) table.add({"state", incomplete_text(wallet, progress)});
  table.add({"attested", attested_text(wallet)});
}

void print_text(const CommonOptions& common, const OpenWallet& open, const ChainStatus& chain) {
  const auto& config = open.wallet.config();
  const char* secret = open.stored->info().encrypted ? "mnemonic, encrypted" : "mnemonic, not encrypted";
  Table table({{"", false}, {"", false, Narrow::Wrap}});
  table.add({"network", std::string(chain::params(common.network).name)});
  table.add({"wallet", fmt::format("{} ({})", common.wallet, is_watch_only(open) ? "watch-only" : secret)});
  if (chain.stored) {
    table.add({"headers", fmt::format("{} to {}", chain.stored->from, chain.stored->tip.height)});
    table.add({"tip", util::to_string(chain.stored->tip.hash)});
    table.add({"tip time", local_time(chain.stored->time) +
                               (chain.stored->stale ? " (stale: no block for 90 minutes or more)" : "")});
  } else {
    table.add({"headers", "none yet"});
  }
  add_scan(open.wallet, chain.progress, table);
  table.add({"birthday", config.birthday_time ? local_time(*config.birthday_time) : std::to_string(config.birthday)});
  table.add({"gap limit", std::to_string(config.gap_limit)});
  table.print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const StatusOptions&) {
  OpenWallet open = open_wallet(common, Access::Read);
  const auto chain = chain_status(common, open.wallet);
  if (common.json) {
    print_json(to_json(common, open, chain));
  } else {
    print_text(common, open, chain);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
