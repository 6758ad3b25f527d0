// Shard: one engine with as many wallets as one filter holds, on one chain of headers. A client has one, or several
// where its wallets need more filters: each has its own connections.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "chain/header_chain.h"
#include "net/driver.h"
#include "store/header_file.h"
#include "sync/engine/engine.h"
#include "sync/watch/wallet_group.h"

namespace spv::client {

struct ShardSetup {
  const chain::NetworkParams& params;
  std::string headers_path;
  sync::EngineOptions engine;
  net::DriverOptions driver;
};

class Shard {
 public:
  /// Its headers will begin at `base`, or below.
  explicit Shard(store::HeaderBase base);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  void add(sync::MemberId id, wallet::Wallet& wallet);
  void remove(sync::MemberId id);
  /// Of scripts of its wallets; each counted at most once a wallet.
  [[nodiscard]] std::size_t elements() const { return elements_; }
  /// True if a wallet that begins here can be taken in as it runs.
  [[nodiscard]] bool reaches(const store::HeaderBase& base) const {
    return base.height >= (headers_ ? headers_->base_height() : base_.height);
  }

  /// May throw. A shard that is not the first sees what the first has committed by then.
  void open_headers(const ShardSetup& setup);

  /// The headers are open, and the group is nobody else's meanwhile.
  void make_driver(boost::asio::io_context& io, ShardSetup setup, net::DriverHooks hooks);
  /// There is a driver. See net::Driver for threads.
  void start(std::function<void(net::RunResult, std::string)> done);
  [[nodiscard]] bool started() const { return driver_ != nullptr; }
  /// What was verified is persisted.
  void stop();
  /// It is stopped: closes its headers, and can be started again.
  void rest();
  /// Wallets were added or removed. From the thread of the loop.
  void on_wallets_changed();

  [[nodiscard]] sync::WalletGroup& group() { return group_; }
  /// Null before they are open.
  [[nodiscard]] const chain::HeaderStore* headers() const { return headers_.get(); }
  void flush_headers() {
    if (headers_) headers_->flush();
  }
  [[nodiscard]] std::optional<sync::Progress> progress() const;
  [[nodiscard]] net::Traffic traffic() const { return driver_ ? driver_->traffic() : net::Traffic{}; }
  [[nodiscard]] util::Duration gather_time() const { return driver_ ? driver_->gather_time() : util::Duration::zero(); }
  [[nodiscard]] std::optional<sync::Failure> failure() const { return driver_ ? driver_->failure() : std::nullopt; }
  /// Its wallets are scanned to the tip.
  bool finished = false;
  /// The tip that its wallets were scanned to when it told so last.
  std::optional<chain::BlockRef> tip;
  /// A wallet came that its engine does not know of yet.
  bool joining = false;
  /// Nothing more comes of it: it had finished, and does not follow the tip.
  [[nodiscard]] bool ended() const { return finished && !follows_; }

 private:
  store::HeaderBase base_;
  std::unique_ptr<store::HeaderFile> headers_;
  std::unique_ptr<chain::HeaderChain> chain_;
  sync::WalletGroup group_;
  std::map<sync::MemberId, std::size_t> sizes_;
  std::size_t elements_ = 0;
  bool follows_ = true;
  std::unique_ptr<sync::Engine> engine_;
  std::unique_ptr<net::Driver> driver_;
};

}  // namespace spv::client
