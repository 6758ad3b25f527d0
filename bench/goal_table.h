// GoalTable: measured values beside their goals, a line each as soon as it is known.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace spv::bench {

class GoalTable {
 public:
  explicit GoalTable(std::string_view title = "") {
    std::printf("%-70.*s %10s %16s %10s\n", static_cast<int>(title.size()), title.data(), "goal", "before", "now");
  }

  /// `goal`: the most that it may be, in the same unit. `before`: measured before storage was built for many wallets.
  void row(const std::string& what, const char* unit, std::optional<double> goal, const char* before, double value,
           int decimals = 0) {
    const bool missed = goal && value > *goal;
    if (missed) ++missed_;
    std::printf("%-70s %10s %16s %10s%s\n", what.c_str(), goal ? text(*goal, unit, goal_decimals(*goal)).c_str() : "",
                before, text(value, unit, decimals).c_str(), missed ? "  MISSED" : "");
    std::fflush(stdout);
  }

  /// What main() returns.
  [[nodiscard]] int exit_code() const { return missed_ == 0 ? 0 : 1; }

 private:
  static int goal_decimals(double goal) { return goal < 1 ? 1 : 0; }
  static std::string text(double value, const char* unit, int decimals) {
    char out[48];
    std::snprintf(out, sizeof out, "%.*f %s", decimals, value, unit);
    return out;
  }

  int missed_ = 0;
};

}  // namespace spv::bench
