#include "client/wallet_shelf.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "util/secret.h"

namespace spv::client {

using store::StoreError;

namespace {

/// What the store has of a wallet, wiped when it goes: a seed may be in it.
class StoredImage {
 public:
  StoredImage(WalletStore& store, const std::string& name) : bytes_(store.read(name)) {}
  StoredImage(const StoredImage&) = delete;
  StoredImage& operator=(const StoredImage&) = delete;
  ~StoredImage() {
    if (bytes_) OPENSSL_cleanse(bytes_->data(), bytes_->size());
  }
  [[nodiscard]] bool exists() const { return bytes_.has_value(); }
  [[nodiscard]] util::ByteView view() const { return *bytes_; }

 private:
  std::optional<std::vector<std::uint8_t>> bytes_;
};

}  // namespace

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
    if (!kept) throw StoreError(StoreError::Kind::Io, "the wallet store could not save the wallet '" + name + "'");
  };
}

void WalletShelf::make(const std::string& name, NewWallet wallet) const {
  if (!store_) return make_wallet(folder_.wallet(name), network_, std::move(wallet));
  if (StoredImage(*store_, name).exists())
    throw StoreError(StoreError::Kind::Exists, "the wallet '" + name + "' already exists");
  const NewFile made = contents_of(network_, std::move(wallet));
  store::WalletRepository::create_image(made.contents, made.info, made.secret, keeper(name));
}

OpenWallet WalletShelf::open(const std::string& name) const {
  if (!store_) return open_wallet(folder_.wallet(name), store::Database::Mode::ReadWrite, network_);
  const StoredImage image(*store_, name);
  if (!image.exists()) throw StoreError(StoreError::Kind::Missing, "there is no wallet '" + name + "'");
  return load_wallet(store::WalletRepository::open_image(image.view(), network_, keeper(name)), true);
}

}  // namespace spv::client
