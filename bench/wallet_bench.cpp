// What a wallet costs, in CPU time: deriving addresses, and a file of 100,000 transactions opened, summed and shown.
// Each figure stands beside a yardstick of the same run: SHA-256 of as many bytes as the file has.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "bench/busy_wallet.h"
#include "bench/goal_table.h"
#include "bench/resources.h"
#include "chain/params.h"
#include "store/wallet_repository.h"
#include "util/hash.h"
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

bench::GoalTable measure_addresses() {
  bench::GoalTable table(std::to_string(kAddresses) + " addresses of one chain");
  using Kind = wallet::ScriptKind;
  // The first one makes the table of points too.
  for (const Kind kind : {Kind::Wpkh, Kind::Pkh, Kind::ShWpkh, Kind::Tr}) {
    const auto descriptor = wallet::account_descriptors(bench::sample_seed(), kind, 0, params())->at(0);
    const double before = cpu_seconds();
    descriptor.each_script(0, kAddresses, [](util::ByteView script) {
      if (script.empty()) std::abort();
    });
    const auto goal = kind == Kind::Wpkh ? std::optional(150.0) : std::nullopt;
    table.row(std::string(to_string(kind)), "ms", goal, "", 1e3 * (cpu_seconds() - before));
  }
  return table;
}

void measure_file(const std::filesystem::path& path) {
  timed("made", [&] {
    auto [config, state] = bench::busy_wallet(kTransactions);
    store::WalletInfo info;
    static_cast<void>(store::WalletRepository::create(path, {std::move(config), std::move(state)}, info, std::nullopt));
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
  const auto addresses = measure_addresses();
  std::string folder = (std::filesystem::temp_directory_path() / "spv-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  measure_file(std::filesystem::path(folder) / "busy.sqlite");
  std::filesystem::remove_all(folder);
  return addresses.exit_code();
}
