// The floor of the sync benchmark: a bare client that asks for the same headers and blocks as a wallet would, keeps the
// node busy with a window of blocks under way, and checks and stores nothing. Prints one JSON object.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sync/floor_peer.h"
#include "bip37/filter_plan.h"
#include "chain/block_header.h"
#include "chain/params.h"
#include "util/codec.h"
#include "util/hex.h"
#include "util/rng.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::uint32_t kProtocol = 70016;
constexpr std::size_t kFullHeaders = 2000;
constexpr std::uint32_t kFilteredBlock = 3;
constexpr std::uint32_t kWitnessBlock = 0x4000'0002;
constexpr std::uint32_t kTweak = 37;

struct Options {
  std::string connect;
  std::string elements_file;  // hex, one a line
  std::size_t pad = 0;        // random elements are added up to this many
  double fp_rate = 1e-5;
  bool exact = false;  // the least size and UPDATE_ALL, as many wallets load it
  bool headers_only = false;
  bool whole_blocks = false;
  std::size_t window = 500;
  unsigned nap = 0;  // microseconds before a read
};

Options parse(int argc, char** argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&]() -> const char* {
      if (++i == argc) throw std::runtime_error("an option lacks its value");
      return argv[i];
    };
    if (name == "--connect")
      out.connect = value();
    else if (name == "--elements")
      out.elements_file = value();
    else if (name == "--pad")
      out.pad = std::stoul(value());
    else if (name == "--fp-rate")
      out.fp_rate = std::stod(value());
    else if (name == "--exact")
      out.exact = true;
    else if (name == "--headers-only")
      out.headers_only = true;
    else if (name == "--blocks")
      out.whole_blocks = true;
    else if (name == "--window")
      out.window = std::stoul(value());
    else if (name == "--nap")
      out.nap = static_cast<unsigned>(std::stoul(value()));
    else
      throw std::runtime_error("unknown option " + std::string(name));
  }
  if (out.connect.empty()) throw std::runtime_error("--connect HOST:PORT is needed");
  return out;
}

std::vector<util::Bytes> read_elements(const Options& options) {
  std::vector<util::Bytes> out;
  std::ifstream in(options.elements_file);
  for (std::string line; std::getline(in, line);) out.push_back(util::from_hex(line).value());
  util::Rng rng(kTweak);
  while (out.size() < options.pad) out.push_back(rng.bytes(20));
  return out;
}

bip37::BloomFilter make_filter(const Options& options) {
  const auto elements = read_elements(options);
  // Without updates: a filter that is never loaded anew would run away, and costs the node the same.
  if (!options.exact) {
    return bip37::plan_filter(elements, options.fp_rate, kTweak, kTweak, bip37::UpdateFlags::None).filter;
  }
  const auto shape = bip37::design_filter(elements.size(), options.fp_rate);
  bip37::BloomFilter filter(shape, kTweak, bip37::UpdateFlags::All);
  for (const auto& element : elements) filter.insert(element);
  return filter;
}

double seconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

class Floor {
 public:
  explicit Floor(const Options& options) : options_(options), peer_(options.connect, options.nap) {}

  void run() {
    send_version();
    while (!done_) on(peer_.next());
  }

  void report(double started) const {
    std::printf(
        "{\"headers\":%zu,\"blocks\":%zu,\"txs\":%zu,\"bytes_in\":%llu,\"bytes_out\":%llu,\"header_seconds\":%.6f,"
        "\"seconds\":%.6f}\n",
        hashes_.size(), received_, txs_, static_cast<unsigned long long>(peer_.bytes_in()),
        static_cast<unsigned long long>(peer_.bytes_out()), headers_at_ - started, seconds() - started);
  }

 private:
  void send_version() {
    const std::array<std::uint8_t, 26> nobody{};
    util::Writer out;
    out.integer(kProtocol).integer(std::uint64_t{0}).integer(static_cast<std::int64_t>(std::time(nullptr)));
    out.bytes(nobody).bytes(nobody).integer(std::uint64_t{1}).var_string("/floor:1/").integer(std::int32_t{0});
    out.integer(std::uint8_t{0});
    peer_.queue("version", out.data());
  }

  void on(const bench::FloorPeer::Message& message) {
    if (message.command == "version") return on_version();
    if (message.command == "headers") return on_headers(message.payload);
    if (message.command == "tx") ++txs_;
    if (message.command == "merkleblock" || message.command == "block") {
      ++received_;
      request();
    }
    if (message.command == "pong") done_ = true;
  }

  void on_version() {
    peer_.queue("verack", {});
    if (!options_.headers_only && !options_.whole_blocks) {
      util::Writer filter;
      make_filter(options_).encode(filter);
      peer_.queue("filterload", filter.data());
    }
    ask_headers(chain::params(chain::Network::Regtest).genesis_hash);
  }

  void ask_headers(const chain::BlockHash& last) {
    util::Writer out;
    out.integer(kProtocol).compact_size(1).hash(last).hash(chain::BlockHash{});
    peer_.queue("getheaders", out.data());
  }

  // The next headers are asked for before the blocks of these, so the node goes from one to the other without a pause.
  void on_headers(util::ByteView payload) {
    util::Reader in(payload);
    const auto count = static_cast<std::size_t>(in.compact_size());
    // A header holds the hash of the one before it: only the last must be computed.
    for (std::size_t i = 0; i < count; ++i) {
      const auto header = in.view(chain::BlockHeader::kSize + 1);
      if (i > 0) hashes_.push_back(util::Reader(header.subspan(4)).hash<chain::BlockHash>());
      if (i + 1 < count) continue;
      hashes_.push_back(chain::BlockHeader::from_bytes(header.first<chain::BlockHeader::kSize>()).hash());
    }
    if (count == kFullHeaders) {
      ask_headers(hashes_.back());
    } else {
      headers_at_ = seconds();
      all_headers_ = true;
      if (options_.headers_only) done_ = true;
    }
    if (!options_.headers_only) request();
  }

  void request() {
    const std::size_t chunk = std::max<std::size_t>(options_.window / 4, 1);
    while (requested_ < hashes_.size() && requested_ - received_ + chunk <= options_.window) {
      const std::size_t count = std::min(chunk, hashes_.size() - requested_);
      util::Writer out;
      out.compact_size(count);
      for (std::size_t i = 0; i < count; ++i) {
        out.integer(options_.whole_blocks ? kWitnessBlock : kFilteredBlock).hash(hashes_[requested_++]);
      }
      peer_.queue("getdata", out.data());
    }
    if (all_headers_ && requested_ == hashes_.size() && !pinged_) {
      peer_.queue("ping", util::Writer().integer(std::uint64_t{1}).data());
      pinged_ = true;
    }
  }

  Options options_;
  bench::FloorPeer peer_;
  std::vector<chain::BlockHash> hashes_;
  std::size_t requested_ = 0;
  std::size_t received_ = 0;
  std::size_t txs_ = 0;
  double headers_at_ = 0;
  bool all_headers_ = false;
  bool pinged_ = false;
  bool done_ = false;
};

}  // namespace

int main(int argc, char** argv) try {
  const double started = seconds();
  Floor floor(parse(argc, argv));
  floor.run();
  floor.report(started);
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
