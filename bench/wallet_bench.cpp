// What a wallet costs, in CPU time: deriving addresses, and a file of 100,000 transactions opened, summed and shown.
// Each figure stands beside a yardstick of the same run: SHA-256 of as many bytes as the file has.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/resources.h"
#include "chain/params.h"
#include "store/wallet_repository.h"
#include "util/hash.h"
#include "util/rng.h"
#include "wallet/account.h"
#include "wallet/wallet.h"

namespace {

using namespace spv;

constexpr std::uint32_t kAddresses = 10'000;
constexpr std::size_t kTransactions = 100'000;

using bench::cpu_seconds;

template <typename Work>
double timed(const char* what, Work work) {
  const double before = cpu_seconds();
  work();
  const double spent = cpu_seconds() - before;
  std::printf("  %-58s %8.3f s\n", what, spent);
  return spent;
}

const chain::NetworkParams& params() { return chain::params(chain::Network::Regtest); }

wallet::Seed sample_seed() {
  wallet::Seed seed;
  for (std::size_t i = 0; i < seed.bytes.size(); ++i) seed.bytes[i] = static_cast<std::uint8_t>(i);
  return seed;
}

void measure_addresses() {
  std::printf("%u addresses of one chain\n", kAddresses);
  using Kind = wallet::ScriptKind;
  for (const Kind kind : {Kind::Pkh, Kind::ShWpkh, Kind::Wpkh, Kind::Tr}) {
    const auto descriptor = wallet::account_descriptors(sample_seed(), kind, 0, params())->at(0);
    const std::string name(to_string(kind));
    timed(name.c_str(), [&] {
      for (std::uint32_t i = 0; i < kAddresses; ++i) {
        if (!descriptor.script_at(i)) std::abort();
      }
    });
  }
}

/// A wallet that was paid and spent from, in turns, for years: every second transaction spends the one before.
store::WalletRepository::Contents busy_wallet() {
  wallet::WalletConfig config;
  config.network = chain::Network::Regtest;
  const auto pair = *wallet::account_descriptors(sample_seed(), wallet::ScriptKind::Wpkh, 0, params());
  config.key_chains = {{pair[0], false}, {pair[1], true}};
  wallet::WalletState state = wallet::Wallet::fresh_state(config);
  util::Rng rng(std::uint64_t{1});
  chain::OutPoint coin;
  for (std::size_t i = 0; i < kTransactions; ++i) {
    chain::Transaction tx;
    const bool spends = i % 2 == 1;
    chain::TxInput input;
    input.previous = spends ? coin : chain::OutPoint{util::retag<chain::Txid>(util::sha256(rng.bytes(8))), 0};
    input.witness = {rng.bytes(71), rng.bytes(33)};
    tx.inputs.push_back(std::move(input));
    tx.outputs.push_back({1'000, *pair[spends ? 1U : 0U].script_at(static_cast<std::uint32_t>(i % 50))});
    tx.outputs.push_back({2'000, util::Bytes(22, 7)});
    wallet::TxRecord record;
    record.txid = tx.txid();
    coin = {record.txid, 0};
    record.tx = std::move(tx);
    record.confirmation = wallet::Confirmation{};
    record.confirmation->block.height = static_cast<chain::Height>(i / 10);
    record.confirmation->index = static_cast<std::uint32_t>(i % 10);
    record.proof = rng.bytes(12 * 32 + 90);  // of a block of some 2,000
    state.transactions.push_back(std::move(record));
  }
  state.scan.scanned_to.height = static_cast<chain::Height>(kTransactions / 10);
  return {std::move(config), std::move(state)};
}

void measure_file(const std::filesystem::path& path) {
  timed("made", [&] {
    store::WalletInfo info;
    static_cast<void>(store::WalletRepository::create(path, busy_wallet(), info, std::nullopt));
  });
  const auto size = std::filesystem::file_size(path);
  std::printf("a wallet of %zu transactions, %.1f MB\n", kTransactions, static_cast<double>(size) / 1e6);
  const util::Bytes bytes(size, 1);
  const double yardstick =
      timed("yardstick: SHA-256 of as many bytes", [&] { static_cast<void>(util::sha256(bytes)); });
  std::optional<store::WalletRepository> file;
  store::WalletRepository::Contents contents;
  const double opened = timed("opened and checked", [&] {
    file.emplace(store::WalletRepository::open(path, store::WalletRepository::Mode::ReadOnly));
  });
  const double loaded = timed("every row read and checked", [&] { contents = file->load(); });
  std::optional<wallet::Wallet> wallet;
  const double made = timed("indexed", [&] { wallet.emplace(std::move(contents.config), std::move(contents.state)); });
  timed("balance", [&] { std::printf("  %lld sat\n", static_cast<long long>(wallet->balance().total())); });
  timed("coins", [&] { static_cast<void>(wallet->coins()); });
  timed("history", [&] { static_cast<void>(wallet->history()); });
  timed("what to watch", [&] { static_cast<void>(wallet->watched_outpoints()); });
  const double all = opened + loaded + made;
  std::printf("  ready after %.3f s of CPU time, %.1f times the yardstick\n", all, all / yardstick);
}

}  // namespace

int main() {
  measure_addresses();
  std::string folder = (std::filesystem::temp_directory_path() / "spv-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  measure_file(std::filesystem::path(folder) / "busy.sqlite");
  std::filesystem::remove_all(folder);
}
