// A data folder on regtest with a long history: 100,000 headers, and the wallet `default` of so many transactions, as a
// sync leaves them.
//
// usage: program_make_wallet DATADIR TRANSACTIONS
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/busy_wallet.h"
#include "bench/header_miner.h"
#include "chain/header_chain.h"
#include "client/open_wallet.h"
#include "store/header_file.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

constexpr chain::Height kHeaders = 100'000;
constexpr std::size_t kBatch = 2'000;
constexpr util::UnixTime kLater = 4'000'000'000;
constexpr std::uint32_t kSecondsABlock = 60;

chain::BlockRef make_headers(const client::DataFolder& folder, const chain::NetworkParams& params) {
  const auto file = store::HeaderFile::open(folder.headers().string(), params);
  chain::HeaderChain chain(params, *file);
  bench::Miner miner(params, params.genesis.bits, kSecondsABlock);
  while (chain.height() < kHeaders) {
    if (chain.accept(miner.next(kBatch), kLater).error) std::abort();
  }
  return chain.tip();
}

void make_wallet(const client::DataFolder& folder, std::size_t transactions, const chain::BlockRef& tip) {
  auto [config, state] = bench::busy_wallet(transactions);
  state.scan.scanned_to = tip;
  const auto store = client::make_store(folder, config.network);
  store->create("default", {.contents = {std::move(config), std::move(state)}, .info = {}, .secret = {}});
  auto open = client::open_wallet(store, "default", store::Access::Write);
  client::keep_balance(open);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const client::DataFolder folder(argv[1], chain::Network::Regtest);
    folder.make();
    const auto tip = make_headers(folder, chain::params(chain::Network::Regtest));
    make_wallet(folder, std::strtoul(argv[2], nullptr, 10), tip);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
