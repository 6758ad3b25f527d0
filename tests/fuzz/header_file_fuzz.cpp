// The header file, damaged in any way: it opens, or says why not; what it gives then links and has its work, and the
// true headers are taken on top (S6).
#include <filesystem>
#include <fstream>

#include "chain/header_chain.h"
#include "store/header_file.h"
#include "tests/chain/header_builder.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace spv;
using store::HeaderFile;

const chain::NetworkParams& regtest() { return chain::params(chain::Network::Regtest); }

void write(const std::string& path, util::ByteView bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

struct Sample {
  Sample() : headers(chain::test::mine_on(regtest().genesis, 30)) {
    {
      const auto file = HeaderFile::open(path, regtest());
      chain::HeaderChain chain(regtest(), *file);
      chain.accept(std::span(headers).first(20), chain::test::kLater);
    }
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  test::TempDir folder;
  std::string path = folder.file("headers.dat");
  std::vector<chain::BlockHeader> headers;
  util::Bytes bytes;
};

// Reads every header; false if the file turns out to be damaged on the way.
bool reads_whole(const HeaderFile& file) {
  try {
    for (chain::Height height = 1; height <= file.tip_height(); ++height) {
      const auto header = file.at(height);
      util::ensure(header.previous == file.hash_at(height - 1), "headers that do not link");
      util::ensure(header.hash() == file.hash_at(height), "a header under another hash");
    }
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

void check(const Sample& sample) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto file = HeaderFile::open(sample.path, regtest());
    // What is damaged far below the tip shows when it is read, and the next opening mends it.
    if (!reads_whole(*file)) {
      util::ensure(attempt == 0, "damage stays");
      continue;
    }
    const auto work = file->tip_work();
    chain::HeaderChain chain(regtest(), *file);
    const auto result = chain.accept(sample.headers, chain::test::kLater);
    const bool heavier = work > chain::Uint256(2) * 31;
    util::ensure(heavier || (!result.error && chain.tip().hash == sample.headers.back().hash()), "it does not grow");
    return;
  }
}

}  // namespace

SPV_FUZZ_TARGET(header_file, input) {
  static const Sample sample;
  fuzz::Input rest(input);
  util::Bytes bytes = sample.bytes;
  if (rest.chance()) {
    bytes = util::to_bytes(rest.rest());
  } else {
    while (!rest.empty()) {
      const std::size_t place = rest.word();
      if (place >= 0xF000) {
        bytes.resize(std::min<std::size_t>(bytes.size(), rest.word()));
        continue;
      }
      const auto patch = rest.piece();
      for (std::size_t i = 0; i < patch.size() && place + i < bytes.size(); ++i) bytes[place + i] = patch[i];
    }
  }
  write(sample.path, bytes);
  try {
    check(sample);
  } catch (const std::runtime_error& error) {
    util::ensure(std::string_view(error.what()).find('\n') == std::string_view::npos, "an error of several lines");
  }
}
