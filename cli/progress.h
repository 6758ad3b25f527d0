// The progress of a sync on stderr: one line that is drawn again on a terminal, a line every ten seconds elsewhere.
#pragma once

#include <optional>
#include <string>

#include "net/driver.h"
#include "sync/engine.h"

namespace spv::cli {

class ProgressLine {
 public:
  /// `quiet`: say nothing at all.
  ProgressLine(bool quiet, util::Now now);
  void update(const sync::Progress& progress, const net::Traffic& traffic, util::Now now);
  /// Takes the line away, so that other text can be printed.
  void clear();

 private:
  [[nodiscard]] std::string text(const sync::Progress& progress, const net::Traffic& traffic, util::Now now);

  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  util::TimePoint last_line_{};
  // For the rate: where the scan stood when it was first seen.
  std::optional<chain::Height> scan_start_;
  util::TimePoint scan_started_{};
};

}  // namespace spv::cli
