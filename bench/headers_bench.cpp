// Header chain and header file in numbers, as ratios within one run: validation against the bare double SHA-256 of
// the same headers, opening a long file against a short one, and look-ups near the tip.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "chain/header_chain.h"
#include "chain/pow.h"
#include "store/header_file.h"
#include "util/hash.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file
using chain::BlockHeader;

constexpr std::size_t kBatch = 2000;
constexpr util::UnixTime kLater = 4'000'000'000;

const chain::NetworkParams& network() { return chain::params(chain::Network::Regtest); }

/// Milliseconds of processor time, which other programs on the machine do not add to.
double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

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

long peak_rss_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::vector<BlockHeader> mine(std::size_t count) {
  std::vector<BlockHeader> headers;
  headers.reserve(count);
  BlockHeader next = network().genesis;
  chain::BlockHash hash = network().genesis_hash;
  for (std::size_t i = 0; i < count; ++i) {
    next.version = 4;
    next.previous = hash;
    next.time += 60;
    next.nonce = 0;
    while (!chain::check_proof_of_work(hash = next.hash(), next.bits, network())) ++next.nonce;
    headers.push_back(next);
  }
  return headers;
}

void feed(chain::HeaderStore& store, std::span<const BlockHeader> headers) {
  chain::HeaderChain chain(network(), store);
  for (; !headers.empty(); headers = headers.subspan(std::min(kBatch, headers.size()))) {
    if (chain.accept(headers.first(std::min(kBatch, headers.size())), kLater).error) std::abort();
  }
}

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

void measure_validation(std::span<const BlockHeader> headers) {
  unsigned sum = 0;
  double bare = 1e300;
  double checked = 1e300;
  double stored = 1e300;
  for (int round = 0; round < 5; ++round) {  // in turn, so that a busy machine slows all of them alike
    bare = std::min(bare, quickest(1, [&] {
                      for (const auto& header : headers) sum += util::sha256d(header.bytes()).bytes[0];
                    }));
    checked = std::min(checked, quickest(1, [&] {
                         SpanStore store(headers);
                         feed(store, headers);
                       }));
    stored = std::min(stored, quickest(1, [&] {
                        chain::MemoryHeaderStore store(0, network().genesis, 2);
                        feed(store, headers);
                      }));
  }
  std::printf("bare double SHA-256                %9.1f ms   (%u)\n", bare, sum % 10);
  std::printf("validation with all rules          %9.1f ms   ratio %.2f (at most 1.5)\n", checked, checked / bare);
  std::printf("the same, copied into memory       %9.1f ms   ratio %.2f\n", stored, stored / bare);
}

double measure_open(const std::string& path) {
  return quickest(20, [&] {
    const auto file = store::HeaderFile::open(path, network());
    const chain::HeaderChain chain(network(), *file);
    if (chain.locator().empty()) std::abort();
  });
}

void measure_files(std::span<const BlockHeader> headers, const std::filesystem::path& folder) {
  const std::string small = folder / "small.dat";
  const std::string large = folder / "large.dat";
  feed(*store::HeaderFile::open(small, network()), headers.first(1000));
  const long before = peak_rss_kib();
  const double writing = quickest(1, [&] { feed(*store::HeaderFile::open(large, network()), headers); });
  std::printf("sync into a file                   %9.1f ms   peak RSS +%ld KiB (at most 65536)\n", writing,
              peak_rss_kib() - before);
  const double open_small = measure_open(small);
  const double open_large = measure_open(large);
  std::printf("open 1,000 headers                 %9.3f ms\n", open_small);
  std::printf("open %9zu headers             %9.3f ms   ratio %.2f (at most 10)\n", headers.size(), open_large,
              open_large / open_small);

  const auto file = store::HeaderFile::open(large, network());
  const chain::HeaderChain chain(network(), *file);
  const auto near_tip = headers[headers.size() - kBatch].hash();
  std::printf("locator                            %9.4f ms   (under 1)\n",
              quickest(20, [&] { static_cast<void>(chain.locator()); }));
  std::printf("find 2,000 below the tip           %9.4f ms   (under 1)\n",
              quickest(20, [&] { static_cast<void>(chain.find(near_tip)); }));
  std::printf("find what is not there             %9.2f ms\n", quickest(5, [&] { static_cast<void>(chain.find({})); }));
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  std::string pattern = (std::filesystem::temp_directory_path() / "spv-headers-bench-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const auto headers = mine(std::max<std::size_t>(count, kBatch));
  std::printf("%zu headers\n", headers.size());
  measure_files(headers, folder);
  measure_validation(headers);
  std::filesystem::remove_all(folder);
}
