// One of several workers that follow the wallets of a database together. Start as many as you like, on any number of
// machines: each follows its share, and takes over from one that dies. What happens to the wallets is in the event log
// of the database, which any process reads (see payments_backend.cpp).
//
// usage: worker DATADIR NETWORK PEER DATABASE      each with a DATADIR of its own; ends at the end of its input
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <spv/client.h>
#include <string>

namespace {

void print(const spv::Event& event) {
  if (const auto* warning = std::get_if<spv::WarningEvent>(&event)) {
    std::fprintf(stderr, "warning: %s\n", warning->message.c_str());
  } else if (const auto* stopped = std::get_if<spv::StoppedEvent>(&event); stopped != nullptr && stopped->code != 0) {
    std::fprintf(stderr, "error: %s\n", stopped->message.c_str());
    std::quick_exit(1);  // everything is stored
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  spv::Options options;
  options.data_dir = argv[1];
  options.network = std::string(argv[2]) == "main" ? spv::NetworkId::Main : spv::NetworkId::Regtest;
  options.peers = {argv[3]};
  options.database = argv[4];
  options.follow_all = true;
  auto client = spv::Client::open(options);
  if (!client) return std::fprintf(stderr, "error: %s\n", client.error().message.c_str()), 1;
  client->subscribe(print);
  if (const auto started = client->start(); !started) {
    return std::fprintf(stderr, "error: %s\n", started.error().message.c_str()), 1;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  return client->stop() ? 0 : 1;
}
