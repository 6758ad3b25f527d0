#include "client/shard.h"

#include "net/clock.h"

namespace spv::client {

Shard::Shard(store::HeaderBase base) : base_(base), group_(util::Rng(net::system_entropy())) {}

Shard::~Shard() = default;

void Shard::add(sync::MemberId id, wallet::Wallet& wallet) {
  group_.add(id, wallet);
  sizes_[id] = wallet.watched_elements().size();
  elements_ += sizes_[id];
}

void Shard::remove(sync::MemberId id) {
  group_.remove(id);
  elements_ -= sizes_[id];
  sizes_.erase(id);
}

void Shard::open_headers(const ShardSetup& setup) {
  if (headers_) return;
  headers_ = store::HeaderFile::open(setup.headers_path, setup.params, base_);
  chain_ = std::make_unique<chain::HeaderChain>(setup.params, *headers_);
}

void Shard::make_driver(boost::asio::io_context& io, ShardSetup setup, net::DriverHooks hooks) {
  finished = false;
  follows_ = setup.driver.follow;
  engine_ = std::make_unique<sync::Engine>(std::move(setup.engine), *chain_, group_, util::Rng(net::system_entropy()));
  driver_ = std::make_unique<net::Driver>(io, *engine_, setup.params, std::move(setup.driver), std::move(hooks));
}

void Shard::start(std::function<void(net::RunResult, std::string)> done) { driver_->start(std::move(done)); }

void Shard::stop() {
  if (driver_) driver_->stop();
}

void Shard::rest() {
  driver_.reset();
  engine_.reset();
  chain_.reset();
  headers_.reset();
  finished = false;
  tip.reset();
}

void Shard::on_wallets_changed() {
  finished = false;
  if (driver_) driver_->feed(sync::WatchChanged{});
}

std::optional<sync::Progress> Shard::progress() const {
  if (!engine_) return std::nullopt;
  return engine_->progress();
}

}  // namespace spv::client
