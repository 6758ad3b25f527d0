#include "cli/wallet/wallet_secret.h"

#include <algorithm>

#include "cli/error.h"
#include "cli/wallet/ask_secret.h"
#include "cli/wallet/secret_file.h"
#include "client/seed_wallet.h"
#include "wallet/secret_box.h"

namespace spv::cli {
namespace {

wallet::Seed to_seed(const util::SecretBytes& bytes) {
  wallet::Seed seed;
  if (bytes.size() != seed.bytes.size()) {
    throw store::StoreError(store::StoreError::Kind::Corrupt,
                            "the wallet's secret has the wrong length; use a backup or restore from the mnemonic");
  }
  std::ranges::copy(bytes, seed.bytes.begin());
  return seed;
}

[[noreturn]] void fail(wallet::SecretBoxError error) {
  using Error = wallet::SecretBoxError;
  const bool wrong = error == Error::WrongPassphrase;
  throw CommandError(wrong ? ExitCode::Wallet : ExitCode::Failed, wrong ? "wrong-passphrase" : "secret",
                     std::string(to_string(error)));
}

}  // namespace

util::SecretBytes choose_passphrase(const std::string& file) {
  util::SecretBytes passphrase =
      file.empty() ? ask_secret("New wallet passphrase: ") : read_secret_line(file, "the passphrase");
  if (passphrase.empty()) {
    throw CommandError(ExitCode::Failed, "bad-passphrase", "the passphrase is empty; choose another");
  }
  if (file.empty() && ask_secret("Repeat passphrase: ") != passphrase) {
    throw CommandError(ExitCode::Failed, "bad-passphrase",
                       "the passphrases do not match; nothing is changed, try again");
  }
  return passphrase;
}

std::optional<util::SecretBytes> passphrase_if(bool encrypt, const std::string& file) {
  if (!encrypt) return std::nullopt;
  return choose_passphrase(file);
}

store::StoredSecret protect(const wallet::Seed& seed, const std::optional<util::SecretBytes>& passphrase,
                            chain::Network network) {
  auto secret = client::protect(seed, passphrase, network);
  if (!secret) fail(secret.error());
  return std::move(*secret);
}

wallet::Seed unlock(store::StoredWallet& file, const std::string& passphrase_file) {
  const auto stored = file.secret();
  if (!stored) {
    throw CommandError(ExitCode::Failed, "watch-only", "this wallet is watch-only: it holds no private keys");
  }
  if (stored->format == store::StoredSecret::Format::Plain) return to_seed(stored->data);
  const auto passphrase =
      passphrase_file.empty() ? ask_secret("Wallet passphrase: ") : read_secret_line(passphrase_file, "the passphrase");
  const auto secret = wallet::open_secret(stored->data, passphrase, file.network());
  if (!secret) fail(secret.error());
  return to_seed(*secret);
}

}  // namespace spv::cli
