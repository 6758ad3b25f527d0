// What a compact block filter costs to match: once decoded, each script's hash is looked up in it.
#include <algorithm>
#include <string>
#include <vector>

#include "bench/goal_table.h"
#include "bench/resources.h"
#include "bip158/basic_filter.h"
#include "bip158/gcs.h"
#include "util/rng.h"

namespace spv::bip158 {
namespace {

/// P2WPKH mostly, and some of the other usual forms.
std::vector<util::Bytes> random_scripts(std::uint64_t seed, std::size_t count) {
  util::Rng rng(seed);
  std::vector<util::Bytes> scripts;
  for (std::size_t i = 0; i < count; ++i)
    scripts.push_back(rng.bytes(ScriptSet::kLengths.at(i % 8 < 5 ? 0 : i % 8 - 4)));
  return scripts;
}

/// The median CPU time of a call, in microseconds.
template <typename Work>
double microseconds(int rounds, Work&& work) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double start = bench::cpu_seconds();
    work();
    times.push_back((bench::cpu_seconds() - start) * 1e6);
  }
  return bench::median(times);
}

int run() {
  bench::GoalTable table("compact filters, CPU time");
  const chain::BlockHash block = util::retag<chain::BlockHash>(util::Hash256{});
  const auto elements = random_scripts(1, 12'000);
  BasicFilterBuilder builder;
  for (const auto& element : elements) builder.add_output(element);
  const util::Bytes filter = builder.build(block);
  Scratch scratch;
  bool sound = true;
  table.row("decode and check a filter of 12,000 elements", "us", std::nullopt, "",
            microseconds(301, [&] { sound = sound && validate(filter, scratch).has_value(); }), 0);
  const auto row = [&](std::size_t count, std::optional<double> goal, int rounds) {
    ScriptSet scripts;
    for (const auto& script : random_scripts(2, count)) scripts.add(script);
    const double time =
        microseconds(rounds, [&] { sound = sound && match_all(filter, block, scripts, scratch).has_value(); });
    table.row("the same, and look for " + std::to_string(count) + " scripts", "us", goal, "", time, 0);
  };
  row(200, 150, 301);
  row(20'000, 1'200, 101);
  row(1'000'000, std::nullopt, 5);
  return sound ? table.exit_code() : 2;
}

}  // namespace
}  // namespace spv::bip158

int main() { return spv::bip158::run(); }
