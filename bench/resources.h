// What a piece of work costs: processor time, which other programs on the machine do not add to, and memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace spv::bench {

/// Processor time of the calling thread so far.
inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The middle one; there is at least one.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A line of /proc/self/status in KiB.
inline double status_kib(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    double value = 0;
    if (word == name + ":" && in >> value) return value;
  }
  return 0;
}

/// MiB by which memory grew at its highest while something ran.
template <typename Run>
double peak_growth(Run&& run) {
  std::ofstream("/proc/self/clear_refs") << 5;  // forgets the peak so far
  const double before = status_kib("VmRSS");
  run();
  return (status_kib("VmHWM") - before) / 1024;
}

}  // namespace spv::bench
