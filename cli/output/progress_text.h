// The text of a progress line, as a function of the state of the sync and the width available.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "client/sync_values.h"
#include "util/time.h"

namespace spv::cli {

/// "1,234,567"
std::string grouped(std::uint64_t number);
/// "27.6 kB", "1.2 MB"
std::string bytes_text(std::uint64_t bytes);
/// "0:07", "12:05", "1:02:03"
std::string duration_text(double seconds);

/// How fast a count grows, over the last ten seconds.
class Rate {
 public:
  void note(double done, util::TimePoint now);
  /// Nothing until there are samples from two different moments.
  [[nodiscard]] std::optional<double> per_second() const;

 private:
  struct Sample {
    util::TimePoint at;
    double done;
  };
  std::deque<Sample> samples_;
};

/// The state of a sync, and how fast it goes.
struct ProgressFacts {
  client::SyncProgress progress;
  chain::Height scan_start = -1;         // the first block of this scan
  std::optional<double> rate;            // headers or blocks a second
  double least_share = 0;                // what was shown before: the bar never goes back
  std::optional<double> left;            // seconds
  std::string waits_for;                 // what is waited for at the tip; empty: unconfirmed transactions
  std::optional<double> wait_left = {};  // seconds, at most
};

/// All that a sync has to do, as one measure: headers, and blocks that take longer.
struct Work {
  double done = 0;
  double total = 0;
  [[nodiscard]] double share() const;
};
Work work_of(const client::SyncProgress& progress, chain::Height scan_start);

/// One line of at most `width` columns; what matters least is left out first.
std::string progress_text(const ProgressFacts& facts, std::size_t width);

}  // namespace spv::cli
