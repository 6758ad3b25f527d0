// Makes a chain for the sync benchmark: blocks.dat for `bitcoind -loadblock`, and chain.json that says what the two
// test wallets must find in it. The same arguments give the same bytes.
//
// Every full block moves `txs` coins that anyone can spend; each transaction also pays two or three random P2WPKH
// scripts. Two wallets are paid to their receive addresses in ascending order: `kept` keeps its coins, `spent` spends
// the first half of them again, without change, in the second half of the chain.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "bench/sync/block_file.h"
#include "bench/sync/test_wallet.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "util/hex.h"
#include "util/rng.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::uint64_t kSeed = 37;
constexpr int kMaturity = 100;
constexpr chain::Amount kSmall = 100;
constexpr chain::Amount kPayment = 10'000;
constexpr std::array kMnemonics{
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
    "legal winner thank year wave sausage worth useful legal winner thank yellow"};
constexpr std::size_t kKept = 0;
constexpr std::size_t kSpent = 1;

struct Size {
  std::size_t blocks = 0;    // full ones, after those that make the coins
  std::size_t txs = 0;       // in each; 0: only payments
  std::size_t payments = 0;  // to each wallet
};

/// A coin that moves on in every block.
struct Coin {
  chain::OutPoint outpoint;
  chain::Amount value = 0;
};

struct WalletState {
  bench::TestWallet keys;
  std::vector<chain::OutPoint> received{};
  std::size_t transactions = 0;
  chain::Amount balance = 0;
};

class ChainMaker {
 public:
  ChainMaker(const std::string& folder, const Size& size)
      : size_(size), folder_(folder), file_(folder + "/blocks.dat"), rng_(kSeed) {
    for (const char* mnemonic : kMnemonics) {
      wallets_.push_back({.keys = bench::TestWallet(mnemonic, static_cast<std::uint32_t>(size.payments))});
    }
  }

  void make() {
    make_coins();
    for (std::size_t i = 0; i < size_.blocks; ++i) add_block(i);
    file_.finish();
    describe();
  }

 private:
  void make_coins() {
    const auto first = file_.add({});
    for (int i = 1; i < kMaturity; ++i) file_.add({});
    const std::size_t count = std::max(size_.txs, kMnemonics.size());
    const auto each = first.outputs.front().value / static_cast<chain::Amount>(count);
    auto split = test::TxBuilder(0).spends(first);
    for (std::size_t i = 0; i < count; ++i) split.pays(test::op_true(), each);
    const auto tx = split.build();
    const auto txid = tx.txid();
    for (std::size_t i = 0; i < count; ++i) coins_.push_back({{txid, static_cast<std::uint32_t>(i)}, each});
    file_.add({tx});
  }

  /// The payment that falls into a block, if one does; they are spread evenly.
  [[nodiscard]] std::optional<std::size_t> payment_in(std::size_t block) const {
    const auto before = [&](std::size_t blocks) {
      return (2 * blocks * size_.payments + size_.blocks) / (2 * size_.blocks);
    };
    return before(block + 1) > before(block) ? std::optional(before(block)) : std::nullopt;
  }

  void add_block(std::size_t index) {
    std::vector<chain::Transaction> txs;
    const auto payment = payment_in(index);
    const std::size_t moved = size_.txs == 0 && payment ? coins_.size() : size_.txs;
    // Wherever in the block, but never both wallets in one transaction.
    const std::size_t place = payment ? 2 * rng_.below(moved / 2) : 0;
    for (std::size_t i = 0; i < moved; ++i) {
      WalletState* paid = payment && i - place < wallets_.size() ? &wallets_[i - place] : nullptr;
      txs.push_back(move_coin(coins_[i], paid, payment.value_or(0)));
    }
    if (payment && *payment >= size_.payments / 2) txs.push_back(spend(*payment - size_.payments / 2));
    file_.add(txs);
  }

  chain::Transaction move_coin(Coin& coin, WalletState* paid, std::size_t payment) {
    test::TxBuilder builder(0);
    builder.spends(coin.outpoint);
    chain::Amount left = coin.value;
    const auto small = 2 + rng_.below(2);
    std::vector<util::Bytes> scripts;
    for (std::uint64_t i = 0; i < small; ++i) scripts.push_back(test::p2wpkh(rng_.bytes(20)));
    left -= kSmall * static_cast<chain::Amount>(small);
    const auto amount = kPayment + static_cast<chain::Amount>(payment);
    if (paid != nullptr) left -= amount;
    builder.pays(test::op_true(), left);
    for (const auto& script : scripts) builder.pays(script, kSmall);
    if (paid != nullptr) builder.pays(paid->keys.script(payment), amount);
    auto tx = builder.build();
    const auto txid = tx.txid();
    coin = {{txid, 0}, left};
    if (paid != nullptr) {
      paid->received.push_back({txid, static_cast<std::uint32_t>(tx.outputs.size() - 1)});
      paid->balance += amount;
      ++paid->transactions;
    }
    return tx;
  }

  chain::Transaction spend(std::size_t payment) {
    WalletState& wallet = wallets_[kSpent];
    const auto amount = kPayment + static_cast<chain::Amount>(payment);
    wallet.balance -= amount;
    ++wallet.transactions;
    return wallet.keys.spend(payment, wallet.received[payment], amount, test::p2wpkh(rng_.bytes(20)));
  }

  void describe() const {
    std::ofstream out(folder_ + "/chain.json");
    out << "{\"height\":" << file_.height() << ",\"transactions_a_block\":" << size_.txs << ",\"wallets\":{";
    for (const auto w : {kKept, kSpent}) {
      const auto& wallet = wallets_[w];
      out << (w == kKept ? "\"kept\"" : ",\"spent\"") << ":{\"mnemonic\":\"" << kMnemonics[w]
          << "\",\"transactions\":" << wallet.transactions << ",\"balance_sat\":" << wallet.balance
          << ",\"elements\":[";
      for (std::size_t i = 0; i < wallet.keys.size(); ++i) {
        out << (i == 0 ? "\"" : ",\"") << util::to_hex(wallet.keys.element(i)) << "\"";
      }
      out << "]}";
    }
    out << "}}\n";
    out.close();
    if (!out) throw std::runtime_error("cannot write chain.json");
  }

  Size size_;
  std::string folder_;
  bench::BlockFile file_;
  util::Rng rng_;
  std::vector<Coin> coins_;
  std::vector<WalletState> wallets_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s FOLDER BLOCKS TXS PAYMENTS\n", argv[0]);
    return 2;
  }
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  const Size size{.blocks = number(2), .txs = number(3), .payments = number(4)};
  if (size.blocks < size.payments || size.txs == 1) {
    std::fprintf(stderr, "at least a block a payment, and no or at least two transactions a block\n");
    return 2;
  }
  ChainMaker(argv[1], size).make();
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
