// Header chain and header file in numbers, as ratios within one run: validation against the bare double SHA-256 of
// the same headers, opening a long file against a short one, look-ups near the tip, and what spam costs. Ends with an
// error if a number is not met.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <openssl/evp.h>

#include "bench/header_miner.h"
#include "bench/resources.h"
#include "chain/header_chain.h"
#include "chain/pow.h"
#include "store/header_file.h"
#include "sync/headers/header_sync.h"
#include "util/hash.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file
using chain::BlockHeader;

constexpr std::size_t kBatch = 2000;
constexpr util::UnixTime kLater = 4'000'000'000;

bool all_met = true;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

const chain::NetworkParams& network() { return chain::params(chain::Network::Regtest); }

/// One line: what, its value, and whether it is within its limit, if it has one.
void report(const char* what, double value, const char* unit, double limit = 0, const char* note = "") {
  std::printf("%-46s %11.4g %-4s", what, value, unit);
  if (limit > 0) {
    const bool met = value <= limit;
    all_met = all_met && met;
    std::printf(" %s (at most %g)", met ? "met" : "NOT MET", limit);
  }
  std::printf("%s%s\n", *note == '\0' ? "" : "  ", note);
  std::fflush(stdout);
}

/// Milliseconds of processor time.
double now() { return bench::cpu_seconds() * 1e3; }

/// Milliseconds of the quickest of several runs.
template <typename Run>
double quickest(int runs, Run&& run) {
  double best = 1e300;
  for (int i = 0; i < runs; ++i) {
    const double start = now();
    run();
    best = std::min(best, now() - start);
  }
  return best;
}

using bench::Miner;
using bench::peak_growth;

void feed(chain::HeaderStore& store, std::span<const BlockHeader> headers) {
  chain::HeaderChain chain(network(), store);
  for (; !headers.empty(); headers = headers.subspan(std::min(kBatch, headers.size()))) {
    if (chain.accept(headers.first(std::min(kBatch, headers.size())), kLater).error) std::abort();
  }
}

// --- validation -----------------------------------------------------------------------------------------------------

/// Looks at headers that are in memory anyway: so that validation is measured and not the allocation of a copy.
class SpanStore final : public chain::HeaderStore {
 public:
  explicit SpanStore(std::span<const BlockHeader> headers) : headers_(headers) {}
  [[nodiscard]] chain::Height base_height() const override { return 0; }
  [[nodiscard]] chain::Height tip_height() const override { return tip_; }
  [[nodiscard]] BlockHeader at(chain::Height height) const override {
    return height == 0 ? network().genesis : headers_[static_cast<std::size_t>(height - 1)];
  }
  [[nodiscard]] chain::BlockHash hash_at(chain::Height height) const override {
    return height == tip_ ? tip_hash_ : at(height + 1).previous;
  }
  [[nodiscard]] chain::Uint256 tip_work() const override { return tip_work_; }
  void replace_above(chain::Height fork, std::span<const BlockHeader> headers, const chain::BlockHash& tip_hash,
                     const chain::Uint256& tip_work) override {
    tip_ = fork + static_cast<chain::Height>(headers.size());
    tip_hash_ = tip_hash;
    tip_work_ = tip_work;
  }

 private:
  std::span<const BlockHeader> headers_;
  chain::Height tip_ = 0;
  chain::BlockHash tip_hash_ = network().genesis_hash;
  chain::Uint256 tip_work_ = 2;
};

/// OpenSSL's other way: one context that is started anew for every hash.
unsigned hash_by_evp(std::span<const BlockHeader> headers) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  std::array<unsigned char, 32> hash{};
  unsigned sum = 0;
  for (const auto& header : headers) {
    const auto bytes = header.bytes();
    EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
    EVP_DigestUpdate(context, bytes.data(), bytes.size());
    EVP_DigestFinal_ex(context, hash.data(), nullptr);
    EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
    EVP_DigestUpdate(context, hash.data(), hash.size());
    EVP_DigestFinal_ex(context, hash.data(), nullptr);
    sum += hash[0];
  }
  EVP_MD_CTX_free(context);
  return sum;
}

void measure_validation(std::span<const BlockHeader> headers) {
  unsigned sum = 0;
  double bare = 1e300;
  double evp = 1e300;
  double checked = 1e300;
  for (int round = 0; round < 5; ++round) {  // in turn, so that a busy machine slows all of them alike
    bare = std::min(bare, quickest(1, [&] {
                      for (const auto& header : headers) sum += util::sha256d(header.bytes()).bytes[0];
                    }));
    evp = std::min(evp, quickest(1, [&] { sum += hash_by_evp(headers); }));
    checked = std::min(checked, quickest(1, [&] {
                         SpanStore store(headers);
                         feed(store, headers);
                       }));
  }
  report("bare double SHA-256, low-level calls", bare, "ms", 0, sum == 0 ? "?" : "");
  report("the same by EVP", evp, "ms");
  report("validation with all rules", checked, "ms");
  report("  against the quicker of the bare ones", checked / std::min(bare, evp), "x", 1.5);
  report("  headers a second", static_cast<double>(headers.size()) / checked * 1e3, "");
}

// --- the file -------------------------------------------------------------------------------------------------------

double measure_open(const std::string& path) {
  return quickest(20, [&] {
    const auto file = store::HeaderFile::open(path, network());
    const chain::HeaderChain chain(network(), *file);
    if (chain.locator().empty()) std::abort();
  });
}

void measure_lookups(const std::string& path) {
  const auto file = store::HeaderFile::open(path, network());
  const chain::HeaderChain chain(network(), *file);
  const auto near_tip = *chain.hash_at(chain.height() - static_cast<chain::Height>(kBatch));
  report("  locator", quickest(20, [&] { static_cast<void>(chain.locator()); }), "ms", 1);
  report("  find 2,000 below the tip", quickest(20, [&] { static_cast<void>(chain.find(near_tip)); }), "ms", 1);
  report("  find what is not there", quickest(3, [&] { static_cast<void>(chain.find({})); }), "ms");
}

/// As many headers as testnet3 has. Opening looks at links and hashes only, so these need no work.
void write_long_file(const std::string& path, std::size_t count) {
  const auto file = store::HeaderFile::open(path, network());
  BlockHeader next = network().genesis;
  std::vector<BlockHeader> batch;
  for (std::size_t i = 0; i < count; ++i) {
    next.previous = batch.empty() ? file->hash_at(file->tip_height()) : next.hash();
    next.time += 1;
    batch.push_back(next);
    if (batch.size() < kBatch) continue;
    file->replace_above(file->tip_height(), batch, next.hash(), file->tip_work() + 2 * kBatch);
    batch.clear();
  }
}

void measure_files(std::span<const BlockHeader> headers, const std::filesystem::path& folder) {
  const std::string small = folder / "small.dat";
  const std::string large = folder / "large.dat";
  const std::string huge = folder / "huge.dat";
  feed(*store::HeaderFile::open(small, network()), headers.first(1000));
  double writing = 0;
  const double growth =
      peak_growth([&] { writing = quickest(1, [&] { feed(*store::HeaderFile::open(large, network()), headers); }); });
  report("sync of all headers into a file", writing, "ms");
  report("  memory at its highest", growth, "MiB", 64);
  write_long_file(huge, 4 * headers.size());
  const double open_small = measure_open(small);
  const double open_large = measure_open(large);
  const double open_huge = measure_open(huge);
  report("open a file of 1,000 headers", open_small, "ms");
  report("open one of all headers", open_large, "ms");
  report("  against the small one", open_large / open_small, "x", 10);
  measure_lookups(large);
  report("open one four times as long (testnet3)", open_huge, "ms");
  report("  against the small one", open_huge / open_small, "x", 10);
  measure_lookups(huge);
}

// --- spam (security.md H9) ------------------------------------------------------------------------------------------

/// A client with a header file, and peers that send to it.
struct Client {
  Client(const chain::NetworkParams& params, const std::string& path)
      : file(store::HeaderFile::open(path, params)), chain(params, *file) {}
  std::optional<sync::DisconnectReason> receive(sync::PeerId peer, std::vector<BlockHeader> headers) {
    const auto result = headers_sync.on(peer, p2p::Headers{std::move(headers)}, {.monotonic = {}, .wall = kLater}, out);
    static_cast<void>(out.take());
    return result.fault;
  }
  std::unique_ptr<store::HeaderFile> file;
  chain::HeaderChain chain;
  sync::HeaderSync headers_sync{chain, false};
  sync::Outbox out;
};

sync::PeerAddress spammer(sync::PeerId id) { return {"spammer", static_cast<std::uint16_t>(id % 1000)}; }

void report_spam(const char* what, double growth, std::uintmax_t disk, std::size_t connections) {
  std::printf("%s\n", what);
  report("  memory at its highest", growth, "MiB", 2);
  report("  growth of the file", static_cast<double>(disk), "B", 0, disk == 0 ? "" : "NOT MET (none)");
  report("  connections that it cost the spammer", static_cast<double>(connections), "", 0,
         connections > 0 ? "" : "NOT MET (one or more)");
  all_met = all_met && disk == 0 && connections > 0;
}

// From genesis, on a network whose checkpoints are a period apart.
void measure_spam_below_checkpoints(std::size_t count, const std::string& path) {
  Miner truth(network(), network().pow_limit_bits, 600);
  const auto real = truth.next(4032);
  const std::array known = {chain::Checkpoint{2015, real[2014].hash()}, chain::Checkpoint{4031, real[4030].hash()}};
  chain::NetworkParams params = network();
  params.checkpoints = known;
  Client client(params, path);
  const auto size = std::filesystem::file_size(path);
  std::size_t connections = 0;
  const double growth = peak_growth([&] {
    for (std::size_t sent = 0; sent < count; ++connections) {
      const auto peer = static_cast<sync::PeerId>(connections + 1);
      client.headers_sync.add_peer(peer, spammer(peer));
      Miner miner(params, params.pow_limit_bits, 600, static_cast<std::uint8_t>(1 + connections % 200));
      std::optional<sync::DisconnectReason> fault;
      for (; !fault && sent < count; sent += kBatch) fault = client.receive(peer, miner.next(kBatch));
      client.headers_sync.remove_peer(peer);
    }
  });
  report_spam("spam from genesis, below checkpoints", growth, std::filesystem::file_size(path) - size, connections);
}

// One endless branch of easy blocks beside a chain that is shorter and has more work.
void measure_long_spam(std::size_t count, const std::string& path) {
  constexpr std::uint32_t kHardBits = 0x1F1FFFFF;  // 2,048 hashes a block
  chain::NetworkParams params = network();
  params.allow_min_difficulty_blocks = true;
  params.genesis.bits = kHardBits;
  while (!chain::check_proof_of_work(params.genesis_hash = params.genesis.hash(), kHardBits, params)) {
    ++params.genesis.nonce;
  }
  Client client(params, path);
  constexpr sync::PeerId honest = 1;
  client.headers_sync.add_peer(honest, {"honest", 1});
  Miner truth(params, kHardBits, 600);
  if (client.receive(honest, truth.next(1 + count / 900))) std::abort();
  const auto size = std::filesystem::file_size(path);
  const auto tip = client.chain.tip();
  std::optional<sync::DisconnectReason> fault;
  const double growth = peak_growth([&] {
    constexpr sync::PeerId peer = 2;
    client.headers_sync.add_peer(peer, spammer(peer));
    Miner miner(params, params.pow_limit_bits, 1201, 9);
    for (std::size_t sent = 0; !fault && sent < count; sent += kBatch) fault = client.receive(peer, miner.next(kBatch));
    if (!fault) fault = client.receive(peer, miner.next(1));  // and this is all it has
  });
  if (!(client.chain.tip() == tip) || fault != sync::DisconnectReason::TooLittleWork) all_met = false;
  report_spam("an endless branch of little work", growth, std::filesystem::file_size(path) - size, fault ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t given = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  const std::size_t count = std::max<std::size_t>(given, 10 * kBatch);
  std::string pattern = (std::filesystem::temp_directory_path() / "spv-headers-bench-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  std::printf("%zu headers\n", count);
  measure_spam_below_checkpoints(count, folder / "checkpoints.dat");
  measure_long_spam(count, folder / "long.dat");
  {
    const auto headers = Miner(network(), network().pow_limit_bits, 60).next(count);
    measure_files(headers, folder);
    measure_validation(headers);
  }
  std::filesystem::remove_all(folder);
  std::printf("%s\n", all_met ? "all numbers are met" : "NOT ALL NUMBERS ARE MET");
  return all_met ? 0 : 1;
}
