// One run of `scripts/bench wallets`: opens N watch-only wallets of 100 scripts each on one client, syncs them, and
// prints a line: wallets, seconds, CPU seconds, bytes in, resident memory before and after.
//
// usage: many_wallets DATADIR PEER WALLETS filter|blocks
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <spv/client.h>
#include <string>
#include <sys/resource.h>

namespace {

constexpr const char* kXpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int fail(const spv::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  spv::Options options;
  options.data_dir = argv[1];
  options.network = spv::NetworkId::Regtest;
  options.peers = {argv[2]};
  options.mempool_wait = std::chrono::milliseconds(0);
  options.follow = false;
  options.whole_blocks = std::string(argv[4]) == "blocks";
  auto client = spv::Client::open(options);
  if (!client) return fail(client.error());
  const long before = resident_kib();
  const int wallets = std::atoi(argv[3]);
  for (int i = 0; i < wallets; ++i) {
    spv::WatchOptions watch;
    watch.gap_limit = 5;  // a look-ahead of 50 on each of two chains
    watch.descriptors = {std::string("wpkh(") + kXpub + "/" + std::to_string(i) + "/<0;1>/*)"};
    if (const auto made = client->watch_wallet("w" + std::to_string(i), watch); !made) return fail(made.error());
  }
  const long opened = resident_kib();
  const double cpu = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  if (const auto started = client->start(); !started) return fail(started.error());
  std::uint64_t bytes = 0;
  int transactions = 0;
  while (const auto event = client->next_event(std::chrono::minutes(30))) {
    if (const auto* progress = std::get_if<spv::ProgressEvent>(&*event)) bytes = progress->bytes_in;
    if (std::holds_alternative<spv::TransactionEvent>(*event)) ++transactions;
    if (const auto* stopped = std::get_if<spv::StoppedEvent>(&*event)) {
      if (stopped->code != 0) return fail({spv::ErrorCode::Network, stopped->message});
      break;
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%d wallets, %s: %.2f s, %.2f s CPU, %d transactions, %.1f MB in, %.1f MiB opened, %.1f MiB synced\n",
              wallets, argv[4], took.count(), cpu_seconds() - cpu, transactions, static_cast<double>(bytes) / 1e6,
              static_cast<double>(opened - before) / 1024, static_cast<double>(resident_kib() - before) / 1024);
  return 0;
}
