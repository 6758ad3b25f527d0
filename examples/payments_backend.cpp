// A backend that follows many watch-only wallets and prints the event log as JSON lines: payments, blocks, wallets.
//
// usage: payments_backend DATADIR NETWORK PEER < WALLETS       each line of WALLETS: NAME DESCRIPTOR
//
// The peer needs peerbloomfilters=1. Ends when it reads a line "end" or the sync stops. Killed at any moment, it goes
// on where it was, and nothing is missed. A line that was printed and not yet
// acknowledged comes again with the same "seq": whoever stores the lines ignores a number that is already there.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <spv/client.h>
#include <sstream>
#include <string>
#include <thread>

namespace {

constexpr const char* kStates[] = {"unconfirmed", "confirmed", "conflicted", "forgotten", "locked", "abandoned"};
constexpr const char* kWalletStates[] = {"added", "synced", "removed"};

void print(long long seq, const spv::TransactionEvent& tx) {
  std::printf(R"({"event":"payment","seq":%lld,"wallet":"%s","txid":"%s","state":"%s","net_sat":%lld,"height":%d})"
              "\n",
              seq, tx.wallet.c_str(), tx.txid.c_str(), kStates[static_cast<int>(tx.state)],
              static_cast<long long>(tx.net), tx.height.value_or(-1));
}
void print(long long seq, const spv::TipEvent& tip) {
  std::printf(R"({"event":"tip","seq":%lld,"height":%d,"hash":"%s"})"
              "\n",
              seq, tip.height, tip.hash.c_str());
}
void print(long long seq, const spv::ReorganisationEvent& reorg) {
  std::printf(R"({"event":"reorg","seq":%lld,"from":"%s","to":"%s","fork_height":%d})"
              "\n",
              seq, reorg.from.c_str(), reorg.to.c_str(), reorg.fork_height);
}
void print(long long seq, const spv::WalletEvent& told) {
  std::printf(R"({"event":"wallet","seq":%lld,"wallet":"%s","state":"%s"})"
              "\n",
              seq, told.wallet.c_str(), kWalletStates[static_cast<int>(told.state)]);
}

/// Prints what the log has above the position of this consumer; waits a moment for more.
bool print_log(spv::Client& client, std::chrono::milliseconds wait) {
  const auto position = client.consumer_position("printer");
  if (!position) return false;
  const auto events = client.wait_events(*position, 100, wait);
  if (!events) return false;
  for (const auto& each : *events) std::visit([&](const auto& event) { print(each.seq, event); }, each.event);
  std::fflush(stdout);
  return events->empty() || client.acknowledge("printer", events->back().seq);
}

void print_state(const spv::Event& event) {
  if (const auto* synced = std::get_if<spv::SyncedEvent>(&event)) {
    std::printf("{\"event\":\"synced\",\"height\":%d}\n", synced->height);
  } else if (const auto* stopped = std::get_if<spv::StoppedEvent>(&event); stopped != nullptr && stopped->code != 0) {
    std::fprintf(stderr, "error: sync stopped: %s\n", stopped->message.c_str());
    std::quick_exit(1);  // everything is on disk, and the main thread is waiting for input
  }
  std::fflush(stdout);
}

spv::Result<void> follow(spv::Client& client, const std::string& line) {
  std::istringstream words(line);
  std::string name;
  spv::WatchOptions watch;
  words >> name >> watch.descriptors.emplace_back();
  auto opened = client.open_wallet(name);
  if (opened || opened.error().code != spv::ErrorCode::NotFound) return opened;
  return client.watch_wallet(name, watch);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  spv::Options options;
  options.data_dir = argv[1];
  options.network = std::string(argv[2]) == "main" ? spv::NetworkId::Main : spv::NetworkId::Regtest;
  options.peers = {argv[3]};
  auto client = spv::Client::open(options);
  if (!client) return std::fprintf(stderr, "error: %s\n", client.error().message.c_str()), 1;
  client->subscribe(print_state);
  if (const auto started = client->start(); !started) {
    return std::fprintf(stderr, "error: %s\n", started.error().message.c_str()), 1;
  }
  std::atomic<bool> ended{false};
  std::thread printer([&] {
    while (!ended && print_log(*client, std::chrono::milliseconds(200))) {
    }
  });
  for (std::string line; std::getline(std::cin, line) && line != "end";) {
    if (const auto done = follow(*client, line); !done)
      std::fprintf(stderr, "error: %s\n", done.error().message.c_str());
  }
  const bool stopped = static_cast<bool>(client->stop());
  ended = true;
  printer.join();
  return stopped && print_log(*client, std::chrono::milliseconds(0)) ? 0 : 1;
}
