// One run of `scripts/bench wallets`: opens N watch-only wallets on one client, syncs them, and prints a line of JSON:
// times, bytes, transactions found, resident memory. With `make` it makes them and prints the first address of each.
//
// usage: many_wallets DATADIR PEER WALLETS SCRIPTS make|filter|blocks     SCRIPTS: of each wallet, a multiple of 20
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

double resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return static_cast<double>(std::atol(line.c_str() + 6)) / 1024;
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

spv::Result<void> make_wallets(spv::Client& client, int wallets, std::uint32_t scripts) {
  for (int i = 0; i < wallets; ++i) {
    spv::WatchOptions watch;
    watch.gap_limit = scripts / 20;  // the look-ahead is ten times that, on each of two chains
    watch.descriptors = {std::string("wpkh(") + kXpub + "/" + std::to_string(i) + "/<0;1>/*)"};
    if (auto made = client.watch_wallet("w" + std::to_string(i), watch); !made) return made;
    std::puts(client.address("w" + std::to_string(i))->address.c_str());
  }
  return {};
}

spv::Result<void> open_wallets(spv::Client& client, int wallets) {
  for (int i = 0; i < wallets; ++i) {
    if (auto opened = client.open_wallet("w" + std::to_string(i)); !opened) return opened;
  }
  return {};
}

struct Outcome {
  spv::Error error{spv::ErrorCode::Network, ""};
  std::uint64_t bytes = 0;
  int transactions = 0;
  bool done = false;
};

Outcome sync(spv::Client& client) {
  Outcome out;
  if (const auto started = client.start(); !started) {
    out.error = started.error();
    return out;
  }
  while (const auto event = client.next_event(std::chrono::minutes(30))) {
    if (const auto* progress = std::get_if<spv::ProgressEvent>(&*event)) out.bytes = progress->bytes_in;
    if (std::holds_alternative<spv::TransactionEvent>(*event)) ++out.transactions;
    if (const auto* stopped = std::get_if<spv::StoppedEvent>(&*event)) {
      out.done = stopped->code == 0;
      out.error.message = stopped->message;
      break;
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string way = argv[5];
  const int wallets = std::atoi(argv[3]);
  spv::Options options;
  options.data_dir = argv[1];
  options.network = spv::NetworkId::Regtest;
  options.peers = {argv[2]};
  options.mempool_wait = std::chrono::milliseconds(0);
  options.follow = false;
  options.whole_blocks = way == "blocks";
  auto client = spv::Client::open(options);
  if (!client) return fail(client.error());
  const double before = resident_mib();
  const double cpu_before = cpu_seconds();
  const bool make = way == "make";
  const auto ready = make ? make_wallets(*client, wallets, static_cast<std::uint32_t>(std::atoi(argv[4])))
                          : open_wallets(*client, wallets);
  if (!ready) return fail(ready.error());
  if (make) return 0;
  const double opened = resident_mib() - before;
  const double cpu_opened = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = sync(*client);
  if (!outcome.done) return fail(outcome.error);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf(R"({"seconds":%.2f,"cpu_opening":%.2f,"cpu_sync":%.2f,"transactions":%d,"bytes_in":%llu,)"
              R"("mib_opened":%.1f,"mib_synced":%.1f})"
              "\n",
              took.count(), cpu_opened - cpu_before, cpu_seconds() - cpu_opened, outcome.transactions,
              static_cast<unsigned long long>(outcome.bytes), opened, resident_mib() - before);
  return 0;
}
