#include "serve/electrum/wallet_keeper.h"

#include <utility>

#include "client/hand_out_to.h"

namespace spv::serve::electrum {
namespace {

/// Wallets that are read before the server's thread hears of them.
constexpr std::size_t kLooksAtOnce = 64;

std::vector<ScriptHash> derive(const Stretch& stretch) {
  std::vector<ScriptHash> out;
  out.reserve(stretch.count);
  stretch.descriptor.each_script(stretch.first, stretch.first + stretch.count, [&](util::ByteView script) {
    out.push_back(script.empty() ? ScriptHash{} : hash_of_script(script));
  });
  return out;
}

}  // namespace

WalletKeeper::WalletKeeper(Client& client, World& world, std::shared_ptr<Mailbox> door, Pools pools, Changed changed,
                           util::LogSink log)
    : client_(client),
      backend_(client),
      world_(world),
      door_(std::move(door)),
      pools_(pools),
      changed_(std::move(changed)),
      log_(std::move(log)) {}

void WalletKeeper::look_at_all() {
  names_due_ = true;
  begin();
}

void WalletKeeper::look_at(const std::string& wallet) {
  due_.insert(wallet);
  begin();
}

void WalletKeeper::tick(bool waits) {
  due_.merge(std::exchange(failed_, {}));
  if (waits) {
    for (auto& each : world_.books.incomplete()) due_.insert(std::move(each));
  }
  begin();
}

void WalletKeeper::begin() {
  if (is_busy_) return;
  if (names_due_) return read_names();
  if (due_.empty()) return;
  std::vector<Look> looks;
  while (!due_.empty() && looks.size() < kLooksAtOnce) {
    auto name = std::move(due_.extract(due_.begin()).value());
    auto before = world_.books.view(name);
    looks.push_back({.name = std::move(name), .before = std::move(before), .view = nullptr, .is_gone = false});
  }
  auto shared = std::make_shared<std::vector<Look>>(std::move(looks));
  is_busy_ = pools_.reading.post([this, shared] {
    for (auto& each : *shared) read(backend_, each);
    door_->post([this, shared] { take(*shared); });
  });
  if (is_busy_) return;
  for (auto& each : *shared) failed_.insert(each.name);
}

void WalletKeeper::read_names() {
  is_busy_ = pools_.reading.post([this] {
    auto names = std::make_shared<Result<std::vector<std::string>>>(backend_.names());
    door_->post([this, names] {
      is_busy_ = false;
      if (!*names) return;  // tried again with the next tick
      names_due_ = false;
      due_.insert((*names)->begin(), (*names)->end());
      due_.merge(world_.books.names());  // those of other names are gone
      if (due_.empty()) take({});
      begin();
    });
  });
}

void WalletKeeper::read(client::Backend& backend, Look& look) {
  using View = std::shared_ptr<const WalletView>;
  const auto found = backend.look<View>(look.name, [&](client::OpenWallet& open) -> Result<View> {
    return view_of(look.name, open.wallet, look.before.get());
  });
  if (found) look.view = *found;
  look.is_gone = !found && (found.error().code == ErrorCode::NotFound || found.error().code == ErrorCode::Damaged);
}

void WalletKeeper::take(const std::vector<Look>& looks) {
  is_busy_ = false;
  std::vector<ScriptHash> changed;
  for (const auto& look : looks) {
    if (look.is_gone) {
      world_.books.remove(look.name);
    } else if (!look.view) {
      failed_.insert(look.name);
    } else {
      const auto scripts = world_.books.put(look.view);
      changed.insert(changed.end(), scripts.begin(), scripts.end());
    }
  }
  if (!looks.empty()) world_.is_ahead = false;  // until look_ahead() has seen to what is new
  // A wallet that cannot be read must not keep the others waiting; but what is in it has no empty history.
  const bool may_begin = failed_.empty() || !world_.empty_unknown;
  if (due_.empty() && may_begin && !names_due_) world_.is_loaded = true;
  changed_(changed);
  begin();
}

void WalletKeeper::look_ahead() {
  if (is_deriving_ || !world_.is_loaded) return;
  auto missing = std::make_shared<std::vector<Stretch>>(world_.books.missing_ahead());
  if (missing->empty()) {
    world_.is_ahead = true;
    door_->post([this] { changed_({}); });
    return;
  }
  is_deriving_ = pools_.slow.post([this, missing] {
    auto derived = std::make_shared<std::vector<std::vector<ScriptHash>>>();
    for (const auto& each : *missing) derived->push_back(derive(each));
    door_->post([this, missing, derived] {
      is_deriving_ = false;
      for (std::size_t i = 0; i < missing->size(); ++i) world_.books.put_ahead((*missing)[i], (*derived)[i]);
      look_ahead();
    });
  });
}

void WalletKeeper::widen(const ScriptPlace& place) {
  if (!widening_.insert(place.wallet).second) return;  // the call that waits orders it again
  const bool posted = pools_.slow.post([this, place] {
    const auto done = client::hand_out_to(client_, place.wallet, {place.chain, place.index});
    door_->post([this, place, done] {
      widening_.erase(place.wallet);
      if (!done) return log(util::LogLevel::Warn, "electrum: cannot watch more addresses: " + done.error().message);
      log(util::LogLevel::Info, "electrum: a client uses addresses of the wallet '" + place.wallet +
                                    "' far ahead; it is scanned again for them");
      look_at(place.wallet);
    });
  });
  if (!posted) widening_.erase(place.wallet);
}

}  // namespace spv::serve::electrum
