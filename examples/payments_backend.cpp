// A backend that follows many watch-only wallets and prints their events as JSON lines.
//
// usage: payments_backend DATADIR NETWORK PEER < WALLETS       each line of WALLETS: NAME DESCRIPTOR
//
// The peer needs peerbloomfilters=1. Ends when it reads a line "end" or the sync stops.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <spv/client.h>
#include <sstream>
#include <string>
#include <thread>

namespace {

void print(const spv::Event& event) {
  if (const auto* tx = std::get_if<spv::TransactionEvent>(&event)) {
    std::printf(R"({"event":"payment","wallet":"%s","txid":"%s","net_sat":%lld,"height":%d})"
                "\n",
                tx->wallet.c_str(), tx->txid.c_str(), static_cast<long long>(tx->net), tx->height.value_or(-1));
  } else if (const auto* tip = std::get_if<spv::TipEvent>(&event)) {
    std::printf("{\"event\":\"tip\",\"height\":%d,\"hash\":\"%s\"}\n", tip->height, tip->hash.c_str());
  } else if (const auto* synced = std::get_if<spv::SyncedEvent>(&event)) {
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
  client->subscribe(print);
  if (const auto started = client->start(); !started) {
    return std::fprintf(stderr, "error: %s\n", started.error().message.c_str()), 1;
  }
  for (std::string line; std::getline(std::cin, line) && line != "end";) {
    if (const auto done = follow(*client, line); !done)
      std::fprintf(stderr, "error: %s\n", done.error().message.c_str());
  }
  return client->stop() ? 0 : 1;
}
