// The progress of a sync on stderr: one line redrawn in place on a terminal, else a line every ten seconds.
#pragma once

#include <optional>
#include <string>

#include "cli/output/progress_text.h"

namespace spv::cli {

class ProgressLine {
 public:
  /// `quiet` shows nothing at all.
  ProgressLine(bool quiet, util::Now now);
  /// `waits_for`: what is waited for at the tip; empty: unconfirmed transactions.
  void update(const client::SyncProgress& progress, util::Now now, std::string waits_for = {});
  /// Takes the line away, so that other text can be printed.
  void clear();

 private:
  [[nodiscard]] ProgressFacts facts(const client::SyncProgress& progress, util::Now now);
  /// How long the rest of the work takes, if it goes on like this.
  [[nodiscard]] std::optional<double> time_left(const Work& work) const;
  void draw(const std::string& line, std::size_t width);
  /// Moves to the start of the line that was drawn, which a narrower window may have broken into several.
  [[nodiscard]] std::string back_to_start(std::size_t width) const;

  bool quiet_;
  bool terminal_;
  std::string drawn_;  // empty: nothing is on the screen
  std::size_t drawn_width_ = 0;
  util::TimePoint last_line_{};
  bool counts_blocks_ = false;
  Rate rate_;       // of headers or blocks
  Rate work_rate_;  // of both as one measure
  double share_ = 0;
  std::optional<chain::Height> scan_start_;
};

}  // namespace spv::cli
