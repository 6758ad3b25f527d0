// The paths that every sync runs millions of times, each on input that never changes: scripts/instructions counts what
// they execute, which does not depend on how busy or quick the machine is.
//
// usage: hot_paths NAME        a name from hot_paths --list
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/busy_wallet.h"
#include "bench/header_miner.h"
#include "bench/sample_block.h"
#include "bip158/basic_filter.h"
#include "bip158/gcs.h"
#include "bip37/bloom_filter.h"
#include "bip37/murmur3.h"
#include "bip37/partial_merkle_tree.h"
#include "chain/header_chain.h"
#include "p2p/v2_transport.h"
#include "sync/scan/block_matcher.h"

/// What is counted. Its name is what the tool looks for.
extern "C" [[gnu::noinline]] void hot_path(const std::function<bool()>& work) {
  if (!work()) std::abort();
}

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

std::vector<util::Bytes> sample_elements(std::size_t count) {
  util::Rng rng(1);
  std::vector<util::Bytes> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(rng.bytes(20));
  return out;
}

void murmur() {
  const auto elements = sample_elements(10'000);
  hot_path([&] {
    std::uint32_t sum = 0;
    for (const auto& element : elements) sum += bip37::murmur3(7, element);
    return sum != 0;
  });
}

void filter_contains() {
  const auto elements = sample_elements(10'000);
  bip37::BloomFilter filter(bip37::design_filter(1'000, 1e-5), 7, bip37::UpdateFlags::All);
  for (std::size_t i = 0; i < 1'000; ++i) filter.insert(elements[10 * i]);
  hot_path([&] {
    return std::ranges::count_if(elements, [&](const auto& element) { return filter.contains(element); }) >= 1'000;
  });
}

// A filter of a busy block, and scripts of which none is in it: what most blocks are to a wallet.
void gcs_match() {
  util::Rng rng(4);
  std::vector<util::Bytes> elements(12'000);
  for (auto& element : elements) element = bench::sample_script(rng);
  bip158::BasicFilterBuilder builder;
  for (const auto& element : elements) builder.add_output(element);
  const chain::BlockHash block{};
  const auto filter = builder.build(block);
  bip158::ScriptSet scripts;
  for (int i = 0; i < 1'000; ++i) scripts.add(bench::sample_script(rng));
  bip158::Scratch scratch;
  hot_path([&] { return bip158::match_all(filter, block, scripts, scratch).has_value(); });
}

void merkle_extract() {
  constexpr std::size_t kTransactions = 4'000;
  util::Rng rng(3);
  std::vector<chain::Txid> txids(kTransactions);
  for (auto& txid : txids) std::ranges::copy(rng.bytes(txid.bytes.size()), txid.bytes.begin());
  std::vector<bool> marks(kTransactions);
  for (std::size_t i = 0; i < kTransactions; i += 40) marks[i] = true;
  const auto tree = bip37::build_partial_tree(txids, marks);
  hot_path([&] { return bip37::extract_matches(tree).has_value(); });
}

void header_check() {
  const auto& network = chain::params(chain::Network::Regtest);
  const auto headers = bench::Miner(network, network.pow_limit_bits, 60).next(2'000);
  chain::MemoryHeaderStore store(0, network.genesis, 2);
  chain::HeaderChain chain(network, store);
  hot_path([&] { return !chain.accept(headers, 4'000'000'000).error; });
}

void block_walk() {
  const auto block = bench::sample_block(1'000);
  util::Rng rng(2);
  std::vector<util::Bytes> watched;
  for (int i = 0; i < 1'000; ++i) watched.push_back(bench::sample_script(rng));
  sync::BlockMatcher matcher{util::Rng(3)};
  matcher.watch(watched, {});
  hot_path([&] { return matcher.match(block.header, block.body, false).has_value(); });
}

p2p::V2Transport transport(p2p::V2Transport::Role role, std::uint8_t fill) {
  p2p::V2Entropy entropy;
  entropy.key.bytes.fill(fill);
  entropy.encoding.fill(fill);
  return {{0xFA, 0xBF, 0xB5, 0xDA}, role, entropy};
}

void pump(p2p::V2Transport& from, p2p::V2Transport& to) {
  const auto bytes = from.take_output();
  std::ranges::copy(bytes, to.prepare(bytes.size()).begin());
  to.commit(bytes.size());
}

void v2_decrypt() {
  constexpr int kMessages = 500;
  auto sender = transport(p2p::V2Transport::Role::Initiator, 1);
  auto receiver = transport(p2p::V2Transport::Role::Responder, 2);
  for (int i = 0; i < 4; ++i) {
    pump(sender, receiver);
    static_cast<void>(receiver.next());
    pump(receiver, sender);
    static_cast<void>(sender.next());
  }
  p2p::Inv message;
  message.items.resize(10);
  for (int i = 0; i < kMessages; ++i) sender.send(message);
  hot_path([&] {
    pump(sender, receiver);
    int received = 0;
    while (true) {
      const auto next = receiver.next();
      if (!next || !*next) break;
      ++received;
    }
    return received == kMessages;
  });
}

void ledger_fold() {
  auto [config, state] = bench::busy_wallet(2'000);
  const wallet::Wallet wallet(std::move(config), std::move(state));
  hot_path([&] { return wallet.balance().total() > 0 && !wallet.history().empty(); });
}

const std::map<std::string, void (*)()>& paths() {
  static const std::map<std::string, void (*)()> all{
      {"block_walk", block_walk},   {"filter_contains", filter_contains},
      {"gcs_match", gcs_match},     {"header_check", header_check},
      {"ledger_fold", ledger_fold}, {"merkle_extract", merkle_extract},
      {"murmur", murmur},           {"v2_decrypt", v2_decrypt},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  if (name == "--list") {
    for (const auto& [path, run] : paths()) std::printf("%s\n", path.c_str());
    return 0;
  }
  const auto found = paths().find(name);
  if (found == paths().end()) {
    std::fprintf(stderr, "usage: %s NAME|--list\n", argv[0]);
    return 2;
  }
  found->second();
  return 0;
}
