// A wallet file, damaged in any way or made up: it is refused by a StoreError of one line, or holds all that it held
// (S6, G-11: never a silently wrong balance).
#include <filesystem>

#include "store/stored_balance.h"
#include "store/wallet_repository.h"
#include "tests/fuzz/fuzz.h"
#include "tests/store/wallet_repository_samples.h"

namespace {

using namespace spv;
using store::WalletRepository;

struct Sample {
  Sample() {
    const auto contents = test::sample_contents();
    const auto counted = wallet::Wallet(contents.config, contents.state).counted_balance();
    {
      auto made = WalletRepository::create(path, contents, test::kWatchOnly, std::nullopt);
      wallet::Changes changes;
      changes.balance = counted;
      made.commit(changes);
    }
    balance = counted.balance;
    bytes = test::read_file(path);
    text = test::describe(contents);
  }
  test::TempDir folder;
  std::string path = folder.file("wallet.sqlite");
  util::Bytes bytes;
  std::string text;
  wallet::Balance balance;
};

}  // namespace

SPV_FUZZ_TARGET(wallet_file, input) {
  static const Sample sample;
  fuzz::Input rest(input);
  util::Bytes bytes = sample.bytes;
  const bool made_up = rest.byte() % 4 == 3;
  if (made_up) {
    bytes = util::to_bytes(rest.rest());
  } else {
    while (!rest.empty()) {
      const std::size_t place = (rest.word() | (std::size_t{rest.byte()} << 16U)) % (bytes.size() + 1);
      const std::uint8_t kind = rest.byte();
      if (kind == 0xFF) {
        bytes.resize(place);
        continue;
      }
      const auto patch = rest.take(kind % 64);
      for (std::size_t i = 0; i < patch.size() && place + i < bytes.size(); ++i) bytes[place + i] = patch[i];
    }
  }
  for (const char* left : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(sample.path + left);
  test::write_file(sample.path, bytes);
  const auto stored = store::balance_of_file(sample.path, chain::Network::Main);
  util::ensure(!stored || made_up || stored->balance == sample.balance, "damage changes a stored balance silently");
  try {
    auto repository = WalletRepository::open(sample.path, WalletRepository::Mode::ReadWrite);
    const auto contents = repository.load();
    util::ensure(made_up || test::describe(contents) == sample.text, "damage changes a wallet silently");
    util::ensure(wallet::Wallet(contents.config, contents.state).balance().confirmed >= 0, "a balance below nothing");
    util::ensure(!repository.secret(), "a watch-only wallet has a secret");
  } catch (const store::StoreError& error) {
    util::ensure(std::string_view(error.what()).find('\n') == std::string_view::npos, "an error of several lines");
    util::ensure(bytes != sample.bytes, "a good file is refused");
  }
}
