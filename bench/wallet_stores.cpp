// What it takes to open very many wallets of 100 scripts from where they are kept, beside the goals.
//
// usage: wallet_stores [files|database]
#include <chrono>
#include <cstdio>
#include <malloc.h>
#include <string>
#include <vector>

#include "bench/goal_table.h"
#include "bench/many_stored.h"
#include "bench/resources.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

struct Opening {
  double seconds = 0;
  double cpu = 0;
  double resident_mib = 0;
};

Opening open_all(const bench::Place& place, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t number = 0; number < count; ++number) names.push_back(bench::sample_name(number));
  const auto store = place.open();
  malloc_trim(0);  // what others have left
  const double resident = bench::status_kib("VmRSS");
  const double cpu = bench::cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  const auto open = client::open_wallets(store, names, store::Access::Write);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return {.seconds = took.count(),
          .cpu = bench::cpu_seconds() - cpu,
          .resident_mib = (bench::status_kib("VmRSS") - resident) / 1024};
}

void measure(bench::GoalTable& table, bench::Place::Kind kind) {
  const bench::Place place(kind);
  place.make_wallets(10'000, 0);
  const Opening few = open_all(place, 1'000);
  table.row(place.name() + ": open 1,000 wallets, 100,000 scripts, CPU", "s", 0.5, "7.3 s", few.cpu, 2);
  table.row("  until they are open", "s", {}, "", few.seconds, 2);
  const Opening many = open_all(place, 10'000);
  table.row(place.name() + ": open 10,000 wallets, 1,000,000 scripts", "s", 6, "49 s (1,000)", many.seconds, 2);
  table.row("  CPU", "s", {}, "", many.cpu, 2);
  table.row("  resident memory", "MiB", 250, "416 MiB", many.resident_mib);
}

}  // namespace

int main(int argc, char** argv) {
  const auto places = bench::places_named(argc, argv);
  if (places.empty()) return 2;
  bench::allow_many_files();
  bench::GoalTable table("wallets in a store");
  for (const auto kind : places) measure(table, kind);
  return table.exit_code();
}
