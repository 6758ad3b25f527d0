// `spv headers`: a stretch of the stored chain.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "store/header_file.h"

namespace spv::cli {
namespace {

boost::json::object to_json(chain::Height height, const chain::BlockHeader& header) {
  return {{"height", height},
          {"hash", util::to_string(header.hash())},
          {"version", header.version},
          {"previous", util::to_string(header.previous)},
          {"merkle_root", util::to_string(header.merkle_root)},
          {"time", header.time},
          {"bits", fmt::format("{:08x}", header.bits)},
          {"nonce", header.nonce}};
}

std::unique_ptr<chain::HeaderStore> stored_headers(const CommonOptions& common) {
  if (auto stored = read_headers(common)) return stored;
  const auto base = store::HeaderBase::genesis(chain::params(common.network));
  return std::make_unique<chain::MemoryHeaderStore>(base.height, base.header, base.work);
}

struct Stretch {
  chain::Height from = 0;
  std::vector<chain::BlockHeader> headers;
};

Stretch read_stretch(const CommonOptions& common, const HeadersOptions& options) {
  const auto headers = stored_headers(common);
  const chain::Height tip = headers->tip_height();
  Stretch stretch{.from = options.from.value_or(std::max(headers->base_height(), tip - options.count + 1)),
                  .headers = {}};
  if (stretch.from < headers->base_height() || stretch.from > tip) {
    throw CommandError(
        ExitCode::Failed, "no-such-header",
        fmt::format("no header {} is stored; there are headers {} to {}", stretch.from, headers->base_height(), tip));
  }
  const chain::Height last = std::min(tip, stretch.from + options.count - 1);
  for (chain::Height height = stretch.from; height <= last; ++height) stretch.headers.push_back(headers->at(height));
  return stretch;
}

// A sync that runs beside may replace what is being read.
Stretch read_patiently(const CommonOptions& common, const HeadersOptions& options) {
  constexpr int kMostReads = 3;
  for (int tries = 1;; ++tries) {
    try {
      return read_stretch(common, options);
    } catch (const store::HeadersChanged&) {
      if (tries == kMostReads) throw;
    }
  }
}

}  // namespace

ExitCode run(const CommonOptions& common, const HeadersOptions& options) {
  const Stretch stretch = read_patiently(common, options);
  boost::json::array rows;
  Table table({{"height", true}, {"hash", false, Narrow::Shorten}, {"time", false}, {"bits", false}});
  chain::Height height = stretch.from;
  for (const auto& header : stretch.headers) {
    if (common.json) {
      rows.push_back(to_json(height, header));
    } else {
      table.add({std::to_string(height), util::to_string(header.hash()), local_time(header.time),
                 fmt::format("{:08x}", header.bits)});
    }
    ++height;
  }
  print_rows(common.json, "headers", std::move(rows), table);
  return ExitCode::Done;
}

}  // namespace spv::cli
