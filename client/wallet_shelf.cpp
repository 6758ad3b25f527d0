#include "client/wallet_shelf.h"

#include <algorithm>
#include <utility>

#include "util/secret.h"

namespace spv::client {

using store::StoreError;

WalletShelf::WalletShelf(DataFolder folder, chain::Network network, std::shared_ptr<WalletStore> store)
    : folder_(std::move(folder)), network_(network), store_(std::move(store)) {}

std::vector<std::string> WalletShelf::names() const {
  if (!store_) return folder_.wallet_names();
  auto names = store_->names();
  std::sort(names.begin(), names.end());
  return names;
}

store::WalletRepository::Keep WalletShelf::keeper(const std::string& name) const {
  return [store = store_, name](util::ByteView image) {
    std::vector<std::uint8_t> bytes(image.begin(), image.end());
    const bool kept = store->write(name, bytes);
    OPENSSL_cleanse(bytes.data(), bytes.size());
    if (!kept) throw StoreError(StoreError::Kind::Io, "the store did not take the wallet '" + name + "'");
  };
}

void WalletShelf::make(const std::string& name, NewWallet wallet) const {
  if (!store_) return make_wallet(folder_.wallet(name), network_, std::move(wallet));
  if (store_->read(name)) throw StoreError(StoreError::Kind::Exists, "a wallet '" + name + "' exists");
  const NewFile made = contents_of(network_, std::move(wallet));
  store::WalletRepository::create_image(made.contents, made.info, made.secret, keeper(name));
}

OpenWallet WalletShelf::open(const std::string& name) const {
  if (!store_) return open_wallet(folder_.wallet(name), store::Database::Mode::ReadWrite, network_);
  const auto image = store_->read(name);
  if (!image) throw StoreError(StoreError::Kind::Missing, "there is no wallet '" + name + "'");
  return load_wallet(store::WalletRepository::open_image(*image, network_, keeper(name)));
}

}  // namespace spv::client
