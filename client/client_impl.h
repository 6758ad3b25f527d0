// Client::Impl: what stands behind the public door; the functions of Client are in client.cpp, spending.cpp and
// signing.cpp.
#pragma once

#include <functional>
#include <mutex>
#include <spv/client.h>
#include <stop_token>
#include <string>
#include <utility>

#include "client/client_setup.h"
#include "client/errors.h"
#include "client/follower.h"
#include "client/new_wallet.h"
#include "client/open_wallet.h"
#include "client/proof.h"
#include "client/settings.h"
#include "client/spender.h"
#include "client/syncer.h"

namespace spv {

class Client::Impl {
 public:
  Impl(Options given, std::shared_ptr<store::Store> store)
      : setup(make_setup(std::move(given), std::move(store))), syncer(setup, events) {}

  /// Calls it with all wallets and the one of this name; what it throws becomes an error.
  template <typename T>
  Result<T> with(const std::string& name, const std::function<Result<T>(client::SyncState&, client::Held&)>& what) {
    const auto state = syncer.lock();
    const auto held = state->usable(name);
    if (!held) return held.error();
    return client::guarded<T>([&] { return what(*state, **held); });
  }
  /// The same for what looks at the one wallet alone.
  template <typename T>
  Result<T> look(const std::string& name, const std::function<Result<T>(const client::OpenWallet&)>& what) {
    return with<T>(name, [&](client::SyncState&, client::Held& held) { return what(held.open); });
  }
  /// Calls it with the headers as they are now, from the file if nothing runs.
  template <typename T>
  Result<T> with_headers(client::SyncState& state, const std::function<Result<T>(const chain::HeaderStore*)>& what) {
    if (const auto* headers = state.shards.headers()) return what(headers);
    const auto file = client::read_headers(setup.folder.headers().string(), setup.params.network);
    return what(file.get());
  }

  Result<void> make(const std::string& name, client::NewWallet wallet) {
    if (!store::is_wallet_name(name)) return bad_name(name);
    const std::lock_guard alone(names_mutex);
    return client::guarded<void>([&] {
      wallet.created = setup.clock().wall;
      setup.store->create(name, client::to_stored(setup.params.network, std::move(wallet)));
      return Result<void>();
    });
  }

  Result<void> open(const std::string& name) {
    if (!store::is_wallet_name(name)) return bad_name(name);
    const auto added = take_from_store(name);
    if (!added) return added.error();
    return *added == client::Syncer::Added::NeedsRestart ? syncer.restart_for(name) : Result<void>();
  }

  /// Opens a wallet that was open before. Where that fails it is tried until it does, if wallets are followed: none
  /// drops out because another process had it open for a moment.
  Result<void> open_again(const std::string& name) {
    auto opened = open(name);
    if (opened) return opened;
    const std::lock_guard alone(names_mutex);
    if (!follower) return opened;
    follower->open_again(name);
    return {};
  }

  Result<client::Syncer::Added> take_from_store(const std::string& name) {
    const std::lock_guard alone(names_mutex);
    if (syncer.lock()->wallets.find(name) != nullptr) return client::Syncer::Added::Done;
    return client::guarded<client::Syncer::Added>(
        [&] { return syncer.add(name, client::open_wallet(setup.store, name, store::Access::Write)); });
  }

  Result<void> open_all(const std::vector<std::string>& names) {
    for (const auto& name : names) {
      if (!store::is_wallet_name(name)) return bad_name(name);
    }
    const auto added = take_all_from_store(names);
    if (!added) return added.error();
    return *added == client::Syncer::Added::NeedsRestart ? syncer.restart() : Result<void>();
  }

  Result<client::Syncer::Added> take_all_from_store(const std::vector<std::string>& names) {
    const std::lock_guard alone(names_mutex);
    return client::guarded<client::Syncer::Added>([&] {
      const auto closed = not_open(names);
      auto opened = client::open_wallets(setup.store, closed, store::Access::Write);
      std::vector<client::Syncer::Named> named;
      named.reserve(closed.size());
      for (std::size_t i = 0; i < closed.size(); ++i) named.push_back({closed[i], std::move(opened[i])});
      return syncer.add_all(std::move(named));
    });
  }

  // --- wallets that are followed without being asked for; see client/follower.h ---
  /// Those that another process still has open are given back.
  std::vector<std::string> open_many(const std::vector<std::string>& names) {
    std::vector<std::string> locked;
    const auto added = [&] {
      const std::lock_guard alone(names_mutex);
      return syncer.add_all(open_each(not_open(names), locked));
    }();
    if (!added) throw store::StoreError(store::StoreError::Kind::Io, added.error().message);
    if (*added == client::Syncer::Added::NeedsRestart) static_cast<void>(syncer.restart());
    return locked;
  }

  void follow() {
    if (!setup.options.follow_all && setup.options.database.empty()) return;
    const std::lock_guard alone(names_mutex);
    if (follower) return;
    syncer.resumes_by_itself();
    client::Follower::Hooks hooks;
    hooks.open = [this](const std::vector<std::string>& names) { return open_many(names); };
    hooks.close = [this](const std::string& name) { static_cast<void>(syncer.remove(name)); };
    hooks.resume = [this] { syncer.resume_if_waiting(); };
    follower.emplace(setup.store, setup.options.follow_all, std::move(hooks));
  }

  static Error bad_name(const std::string& name) {
    return {ErrorCode::InvalidArgument,
            "'" + name + "' is not a valid wallet name; use at most 64 letters, digits, '.', '_' and '-'"};
  }

  client::ClientSetup setup;
  /// Two who make or open the same wallet would be in each other's way. Not held during a restart, which waits for
  /// callbacks, and those may open wallets. For its place among the locks see client/syncer.h.
  std::mutex names_mutex;
  client::Events events;
  std::stop_source waits;  // of those who wait for events
  client::Syncer syncer;
  client::Spender spender{setup, syncer};
  std::optional<client::Follower> follower;  // ends first

 private:
  std::vector<std::string> not_open(std::vector<std::string> names) {
    const auto state = syncer.lock();
    std::erase_if(names, [&](const auto& name) { return state->wallets.find(name) != nullptr; });
    return names;
  }

  std::vector<client::Syncer::Named> open_each(const std::vector<std::string>& names,
                                               std::vector<std::string>& locked) {
    std::vector<client::Syncer::Named> out;
    try {
      auto all = client::open_wallets(setup.store, names, store::Access::Write);
      for (std::size_t i = 0; i < names.size(); ++i) out.push_back({names[i], std::move(all[i])});
      return out;
    } catch (const store::StoreError& error) {
      if (error.kind() == store::StoreError::Kind::Unreachable) throw;
      out.clear();
    }
    for (const auto& name : names) open_one(name, out, locked);
    return out;
  }

  void open_one(const std::string& name, std::vector<client::Syncer::Named>& out, std::vector<std::string>& locked) {
    using Kind = store::StoreError::Kind;
    try {
      out.push_back({name, client::open_wallet(setup.store, name, store::Access::Write)});
    } catch (const store::StoreError& error) {
      const auto kind = error.kind();
      if (kind == Kind::Unreachable) throw;
      if (kind == Kind::Missing || kind == Kind::Moved) return;  // deleted meanwhile
      const bool stays =
          kind == Kind::Corrupt || kind == Kind::NewerSchema || kind == Kind::NotAWallet || kind == Kind::WrongNetwork;
      if (!stays) return locked.push_back(name);
      events.push(WarningEvent{"wallet '" + name + "' is not followed: " + error.what()});
    }
  }

  static client::ClientSetup make_setup(Options options, std::shared_ptr<store::Store> store) {
    const auto& params = chain::params(client::to_network(options.network));
    const client::DataFolder folder(options.data_dir, params.network);
    auto clock = client::clock_of(options);
    return {std::move(options), params, std::move(clock), folder, std::move(store)};
  }
};

}  // namespace spv
