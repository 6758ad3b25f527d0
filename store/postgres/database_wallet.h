// DatabaseWallet: one wallet in the rows of a database; see DatabaseStore.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/postgres/backend.h"
#include "store/postgres/wallet_table.h"
#include "store/stored_wallet.h"

namespace spv::store::postgres {

class DatabaseWallet final : public StoredWallet {
 public:
  DatabaseWallet(std::shared_ptr<Backend> backend, WalletHeader header, Access access,
                 std::unique_ptr<WriterHold> writer)
      : backend_(std::move(backend)), header_(std::move(header)), access_(access), writer_(std::move(writer)) {}

  [[nodiscard]] const WalletInfo& info() const override { return header_.info; }
  [[nodiscard]] chain::Network network() const override { return backend_->network; }
  [[nodiscard]] WalletContents load() override;

  void reconfigure(const WalletContents& contents) override;
  [[nodiscard]] bool replace_secret(const StoredSecret& secret) override;

  [[nodiscard]] bool issue(std::size_t chain, std::uint32_t index) override;
  void change_labels(const std::vector<wallet::LabelChange>& changes) override;

  [[nodiscard]] std::vector<std::uint32_t> issued() override;
  [[nodiscard]] std::vector<wallet::Label> labels() override;
  [[nodiscard]] std::vector<chain::OutPoint> frozen() override;
  [[nodiscard]] std::optional<StoredSecret> secret() override;
  [[nodiscard]] WalletCopy copy() override;

  // --- for DatabaseStore ------------------------------------------------------------------------------------
  [[nodiscard]] std::int64_t id() const { return header_.id; }
  /// The shard as it was held when the wallet was opened: what was loaded then is out of date in another epoch.
  [[nodiscard]] const HeldShard& shard() const;
  /// What was loaded or committed.
  struct Chain {
    wallet::Descriptor descriptor;
    std::uint32_t stored = 0;  // scripts below this are stored
  };
  [[nodiscard]] const std::vector<Chain>& chains();
  void note_contents(const WalletContents& contents);
  void note_stored(std::size_t chain, std::uint32_t scripts) {
    chains_.at(chain).stored = std::max(chains_.at(chain).stored, scripts);
  }

 private:
  void require_shared() const;

  std::shared_ptr<Backend> backend_;
  WalletHeader header_;
  Access access_;
  std::unique_ptr<WriterHold> writer_;
  std::vector<Chain> chains_;
};

}  // namespace spv::store::postgres
