#include "client/session.h"

#include <filesystem>
#include <set>
#include <utility>

#include "client/clock.h"
#include "client/engine_values.h"
#include "client/settings.h"

namespace spv::client {
namespace {

net::DriverOptions limited_options(const SessionSetup& setup) {
  auto out = driver_options(setup.options);
  out.budget = setup.budget;
  out.usage = setup.usage;
  out.follow = out.follow && setup.errands.scan;
  if (out.timeout && setup.time_left) out.timeout = setup.time_left;
  return out;
}

net::DriverHooks driver_hooks(const SessionSetup& setup, SessionHooks hooks) {
  net::DriverHooks out;
  out.persist = std::move(hooks.commit);
  out.notify = [notify = std::move(hooks.notify)](const sync::Event& event) { notify(to_value(event)); };
  out.heartbeat = std::move(hooks.heartbeat);
  out.is_enough = std::move(hooks.is_enough);
  out.around = std::move(hooks.around);
  out.after = std::move(hooks.after);
  out.log = log_of(setup.options);
  return out;
}

/// The file of filter headers beside that of the headers; it is made when there is something to keep.
class FilterHeaders final : public bip158::FilterHeaderStore {
 public:
  FilterHeaders(const std::string& headers_path, const chain::NetworkParams& params, const chain::HeaderStore& headers)
      : path_(std::filesystem::path(headers_path).replace_filename("filter-headers.dat").string()),
        params_(params),
        headers_(headers) {
    if (std::filesystem::exists(path_)) open();
  }
  [[nodiscard]] chain::Height base_height() const override { return headers_.base_height(); }
  [[nodiscard]] chain::Height tip_height() const override { return file_ ? file_->tip_height() : base_height() - 1; }
  [[nodiscard]] util::FilterHeader at(chain::Height height) const override { return file_->at(height); }
  void replace_above(chain::Height fork, std::span<const util::FilterHeader> headers) override {
    if (!file_) open();
    file_->replace_above(fork, headers);
  }
  void flush() {
    if (file_) file_->flush();
  }

 private:
  void open() { file_ = store::FilterHeaderFile::open(path_, params_, headers_); }

  std::string path_;
  const chain::NetworkParams& params_;
  const chain::HeaderStore& headers_;
  std::unique_ptr<store::FilterHeaderFile> file_;
};

/// No node takes a transaction with more of them that wait for a block.
constexpr std::size_t kMaxAncestors = 24;

/// Those that a transaction spends from and that wait for a block, and so on; parents first.
class Ancestors {
 public:
  using Find = std::function<const chain::Transaction*(const chain::Txid&)>;
  explicit Ancestors(Find find) : find_(std::move(find)) {}

  void add_those_of(const chain::Transaction& tx) {
    for (const auto& input : tx.inputs) {
      if (count_ >= kMaxAncestors || !seen_.insert(input.previous.txid).second) continue;
      const auto* parent = find_(input.previous.txid);
      if (parent == nullptr) continue;
      ++count_;
      add_those_of(*parent);
      found_.push_back(*parent);
    }
  }
  [[nodiscard]] std::vector<chain::Transaction> take() { return std::move(found_); }

 private:
  Find find_;
  std::set<chain::Txid> seen_;
  std::size_t count_ = 0;
  std::vector<chain::Transaction> found_;
};

}  // namespace

Session::Session(store::HeaderBase base) : base_(base), group_(util::Rng(system_entropy())) {}

Session::~Session() = default;

void Session::add(MemberId id, wallet::Wallet& wallet) {
  group_.add(id, wallet);
  const std::size_t elements = wallet.watched_elements().size();
  wallets_[id] = {&wallet, elements};
  elements_ += elements;
}

void Session::remove(MemberId id) {
  group_.remove(id);
  forget(id);
}

void Session::forget(MemberId id) {
  elements_ -= wallets_.at(id).elements;
  wallets_.erase(id);
}

std::vector<MemberChanges> Session::take_left() {
  auto left = group_.take_left();
  for (const auto& each : left) forget(each.wallet);
  return left;
}

void Session::on_wallets_changed() {
  if (driver_) driver_->feed(sync::WatchChanged{});
}

void Session::open_headers(const SessionSetup& setup) {
  if (headers_) return;
  headers_ = store::HeaderFile::open(setup.headers_path, setup.params, base_);
  chain_ = std::make_unique<chain::HeaderChain>(setup.params, *headers_);
  if (uses_compact_filters(setup.options)) {
    filter_headers_ = std::make_unique<FilterHeaders>(setup.headers_path, setup.params, *headers_);
  }
}

void Session::flush_headers() {
  if (headers_) headers_->flush();
  if (auto* const kept = static_cast<FilterHeaders*>(filter_headers_.get())) kept->flush();
}

void Session::make_engine(const SessionSetup& setup) {
  auto* book = setup.book == nullptr ? nullptr : &setup.book->book();
  auto options = engine_options(setup.options, setup.params, book);
  for (const auto& tx : setup.errands.broadcasts) options.errands.broadcasts.push_back(request_for(tx));
  options.errands.fees = setup.errands.fees;
  options.errands.scan = setup.errands.scan;
  options.errands.timing.wait = setup.errands.broadcast_wait;
  engine_ = std::make_unique<sync::Engine>(std::move(options), *chain_, group_, util::Rng(system_entropy()),
                                           filter_headers_.get());
}

sync::BroadcastRequested Session::request_for(const chain::Transaction& tx) const {
  Ancestors ancestors([this](const chain::Txid& txid) -> const chain::Transaction* {
    for (const auto& [id, member] : wallets_) {
      const auto* record = member.wallet->find(txid);
      if (record != nullptr && !record->confirmation) return &record->tx;
    }
    return nullptr;
  });
  ancestors.add_those_of(tx);
  return {tx, ancestors.take()};
}

void Session::broadcast(const chain::Transaction& tx) { broadcast(request_for(tx)); }

void Session::broadcast(sync::BroadcastRequested request) { driver_->feed(std::move(request)); }

void Session::request_fees() { driver_->feed(sync::FeesRequested{}); }

RunResult Session::run(const SessionSetup& setup, SessionHooks hooks) {
  make_engine(setup);
  driver_ = std::make_unique<net::Driver>(*engine_, setup.params, limited_options(setup),
                                          driver_hooks(setup, std::move(hooks)));
  return driver_->run();
}

void Session::prepare(boost::asio::io_context& io, const SessionSetup& setup, SessionHooks hooks) {
  make_engine(setup);
  driver_ = std::make_unique<net::Driver>(io, *engine_, setup.params, limited_options(setup),
                                          driver_hooks(setup, std::move(hooks)));
}

void Session::start(std::function<void(RunResult, std::string)> done) { driver_->start(std::move(done)); }

store::ChainView Session::chain_view() const {
  return {.tip = chain_->tip(), .work = chain_->work(), .hash_at = [this](chain::Height height) {
            return chain_->hash_at(height);
          }};
}

void Session::stop() {
  if (driver_) driver_->stop();
}

void Session::rest() {
  group_.let_leave(false);
  driver_.reset();
  engine_.reset();
  filter_headers_.reset();
  chain_.reset();
  headers_.reset();
}

std::optional<SyncProgress> Session::progress() const {
  if (!driver_) return std::nullopt;
  return progress_of(*engine_, *driver_);
}

SyncSummary Session::summary(util::UnixTime now) const {
  auto out = summary_of(*engine_, *driver_, chain_->tip(), now);
  for (const auto& [id, member] : wallets_) {
    for (const auto& entry : member.wallet->history()) {
      if (entry.status == wallet::TxStatus::Unconfirmed) out.announcers[entry.txid] = engine_->announcers(entry.txid);
    }
  }
  return out;
}

std::vector<PeerReport> Session::peers(const net::Usage& usage) const {
  return driver_ ? peers_of(*engine_, *driver_, usage) : std::vector<PeerReport>{};
}

std::optional<FilterReport> Session::filter() const { return engine_ ? filter_of(*engine_) : std::nullopt; }

std::optional<SyncFailure> Session::failure() const {
  if (!driver_ || !driver_->failure()) return std::nullopt;
  return to_value(*driver_->failure());
}

ByteCounts Session::bytes() const {
  if (!driver_) return {};
  const auto traffic = driver_->traffic();
  return {traffic.bytes_in, traffic.bytes_out};
}

util::Duration Session::gather_time() const { return driver_ ? driver_->gather_time() : util::Duration::zero(); }

}  // namespace spv::client
