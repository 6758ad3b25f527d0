// What was asked of a sync, for `spv sync` and all commands that connect to peers; part of cli/options/options.h.
#pragma once

#include <cstdint>
#include <optional>
#include <spv/client.h>
#include <string>
#include <vector>

#include "bip37/filter_plan.h"

namespace spv::cli {

/// The defaults are those of the library, except that a command ends at the tip.
struct SyncOptions {
  std::vector<std::string> connect = {};
  double fp_rate = bip37::kDefaultFpRate;
  /// Longer than the library's: what comes after the end of a command is missed.
  double mempool_wait = 30;
  bool follow = false;
  std::optional<double> timeout = {};
  std::string transport = "auto";
  std::string cross_check = "sample";
  std::string source = "filter";
  bool source_given = false;  // else compact filters are used where they serve better
  std::uint64_t max_download = Options().max_download;
  std::size_t peers = Options().peer_count;  // without --connect
  std::optional<std::string> proxy = {};
  std::string exec = {};  // with --follow: run for each event
};

}  // namespace spv::cli
