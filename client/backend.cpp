#include "client/backend.h"

#include <thread>
#include <utility>

#include "client/change_closed.h"
#include "client/client_impl.h"
#include "client/client_maker.h"
#include "client/rescan.h"
#include "client/values.h"
#include "util/hex.h"

namespace spv::client {
namespace {

/// Other processes may take addresses of the same wallet.
constexpr int kAddressTries = 100;

Error no_wallet(const std::string& name) { return {ErrorCode::NotFound, "wallet '" + name + "' not found"}; }

Error no_address(bool change) {
  return {ErrorCode::Refused, change ? "this wallet has no further change addresses"
                                     : "this wallet has no further addresses: it watches fixed ones, or too many are "
                                       "handed out and unused"};
}

}  // namespace

const chain::NetworkParams& Backend::params() const { return ClientMaker::impl(client_).setup.params; }
store::Store& Backend::store() const { return *ClientMaker::impl(client_).setup.store; }
const WalletBoard& Backend::board() const { return *ClientMaker::impl(client_).setup.board; }
void Backend::on_commit(std::function<void(util::Duration)> callback) {
  ClientMaker::impl(client_).setup.on_commit = std::move(callback);
}
SyncReport Backend::report() const { return ClientMaker::impl(client_).syncer.lock()->report(); }

std::optional<Backend::Fees> Backend::fees() const {
  auto& impl = ClientMaker::impl(client_);
  const auto state = impl.syncer.lock();
  if (!state->fees) return std::nullopt;
  return Fees{state->fees->known, impl.setup.clock().monotonic - state->fees->at};
}

Result<void> Backend::look_at(const std::string& name, const std::function<void(OpenWallet&)>& what) {
  auto& impl = ClientMaker::impl(client_);
  if (!store::is_wallet_name(name)) return no_wallet(name);
  return guarded<void>([&]() -> Result<void> {
    {
      const auto state = impl.syncer.lock();
      if (const auto held = state->usable(name)) {
        note_issued((*held)->open);
        note_frozen((*held)->open);
        what((*held)->open);
        return {};
      } else if (held.error().code != ErrorCode::NotFound) {
        return held.error();
      }
    }
    auto open = open_wallet(impl.setup.store, name, store::Access::Read);
    what(open);
    return {};
  });
}

Result<WalletSummary> Backend::summary(const std::string& name) {
  if (const auto shown = board().find(name)) return *shown;
  return look<WalletSummary>(name, [](OpenWallet& open) -> Result<WalletSummary> {
    return summary_of(open.wallet, open.stored->info().kind == store::WalletKind::Watch);
  });
}

Result<std::vector<std::string>> Backend::names() const {
  return guarded<std::vector<std::string>>([&]() -> Result<std::vector<std::string>> { return store().names(); });
}

Result<std::vector<std::pair<std::string, WalletSummary>>> Backend::summaries(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, WalletSummary>> out;
  out.reserve(names.size());
  for (const auto& name : names) {
    auto found = summary(name);
    if (found) {
      out.emplace_back(name, *found);
    } else if (found.error().code != ErrorCode::NotFound && found.error().code != ErrorCode::Damaged) {
      return found.error();
    }
  }
  return out;
}

Result<std::vector<wallet::Label>> Backend::labels(const std::string& name) {
  return guarded<std::vector<wallet::Label>>(
      [&]() -> Result<std::vector<wallet::Label>> { return store().open(name, store::Access::Read)->labels(); });
}

Result<std::string> Backend::proof(const std::string& name, const std::string& txid) {
  auto& impl = ClientMaker::impl(client_);
  const auto record = look<wallet::TxRecord>(name, [&](OpenWallet& open) -> Result<wallet::TxRecord> {
    const auto id = util::parse_hash<chain::Txid>(txid);
    const auto* found = id ? open.wallet.find(*id) : nullptr;
    if (found == nullptr) return Error{ErrorCode::NotFound, "no transaction in the wallet matches '" + txid + "'"};
    return *found;
  });
  if (!record) return record.error();
  const auto state = impl.syncer.lock();
  return guarded<std::string>([&] {
    return impl.with_headers<std::string>(*state, [&](const chain::HeaderStore* headers) -> Result<std::string> {
      const auto made = make_proof(*record, impl.setup.params.network, headers);
      if (!made) return Error{ErrorCode::NotFound, made.error()};
      return bip37::encode_proof(*made);
    });
  });
}

Result<void> Backend::open_unless_shared(const std::string& name) {
  auto& impl = ClientMaker::impl(client_);
  // Of a database the store says who follows it.
  if (!impl.setup.options.database.empty()) return {};
  return impl.open_again(name);
}

bool Backend::await_open(const std::string& name, std::chrono::milliseconds timeout) {
  return ClientMaker::impl(client_).setup.board->await(name, timeout) != nullptr;
}

Result<void> Backend::create(const std::string& name, NewWallet wallet) {
  auto made = ClientMaker::impl(client_).make(name, std::move(wallet));
  return made ? open_unless_shared(name) : made;
}

Result<void> Backend::remove(const std::string& name) {
  auto& impl = ClientMaker::impl(client_);
  const auto known = summary(name);
  if (!known) return known.error();
  if (!known->watch_only) {
    return Error{ErrorCode::State, "the wallet '" + name + "' has keys; delete it with spv delete"};
  }
  const bool open = static_cast<bool>(impl.syncer.remove(name));
  auto removed = guarded<void>([&]() -> Result<void> {
    impl.setup.store->remove(name);
    return {};
  });
  if (!removed && open) static_cast<void>(impl.open_again(name));
  return removed;
}

Result<Address> Backend::new_address(const std::string& name, bool change) {
  auto& impl = ClientMaker::impl(client_);
  return impl.with<Address>(name, [&](SyncState& state, Held& held) -> Result<Address> {
    for (int tries = 0; tries < kAddressTries; ++tries) {
      note_issued(held.open);
      auto issued = held.open.wallet.issue_next_address(change);
      if (!issued && issued.error() == wallet::NoAddress::Damaged) fail_foreign_script();
      if (!issued) return no_address(change);
      const auto& entry = issued->entry;
      const bool widened = !issued->changes.scripts.empty();
      // Handed out by issue() alone, which sees what other processes do.
      for (auto& each : issued->changes.key_chains) each.state.next_unissued = entry.index;
      // The store knows the address only with all that was found so far.
      state.keep(held, widened ? std::move(issued->changes) : wallet::Changes{});
      if (widened) impl.syncer.watch_more(state, held);
      if (!held.open.stored->issue(entry.chain, entry.index)) continue;
      return to_address(entry, held.open.wallet, impl.setup.params);
    }
    return Error{ErrorCode::Locked, "other processes take addresses of this wallet all the time; try again"};
  });
}

Result<void> Backend::label(const std::string& name, const wallet::LabelChange& change) {
  return guarded<void>([&]() -> Result<void> {
    if (!store::is_wallet_name(name)) return no_wallet(name);
    store().open(name, store::Access::Shared)->change_labels({change});
    return {};
  });
}

Result<void> Backend::rescan(const std::string& name, chain::Height from) {
  return change_closed(client_, name, [&](OpenWallet& open) -> Result<void> {
    auto changes = owe_rescan(open.wallet, from);
    if (!changes) return Error{ErrorCode::Refused, changes.error().message};
    commit_changes(open, std::move(*changes), ClientMaker::impl(client_).setup.clock().wall);
    return {};
  });
}

}  // namespace spv::client
