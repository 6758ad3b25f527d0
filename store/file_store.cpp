#include "store/file_store.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include "store/new_wallet_file.h"
#include "store/wall_time.h"
#include "store/wallet_moves.h"
#include "util/ensure.h"

namespace spv::store {
namespace {

constexpr std::string_view kExtension = ".sqlite";
/// How many events of a wallet are taken over at once.
constexpr std::size_t kAtOnce = 1'000;
constexpr std::chrono::milliseconds kLongestWait{86'400'000};
/// Another process may write to the log too, and nobody wakes those who wait here then.
constexpr std::chrono::milliseconds kLookAgain{500};

Database::Mode mode_of(Access access) {
  switch (access) {
    case Access::Read:
      return Database::Mode::ReadOnly;
    case Access::Shared:
      return Database::Mode::Shared;
    case Access::Write:
      break;
  }
  return Database::Mode::ReadWrite;
}

WalletRepository& file_of(const WalletChanges& each) {
  auto* file = dynamic_cast<WalletRepository*>(each.wallet);
  util::ensure(file != nullptr, "a wallet of another store");
  return *file;
}

EventSource source_of(const WalletRepository& file) { return {.wallet = file.log_name(), .identity = file.identity()}; }

}  // namespace

FileStore::FileStore(std::filesystem::path wallets, std::filesystem::path log, chain::Network network)
    : wallets_(std::move(wallets)), log_path_(std::move(log)), network_(network) {}

std::filesystem::path FileStore::path_of(const std::string& name) const {
  return wallets_ / (name + std::string(kExtension));
}

std::vector<std::string> FileStore::names() {
  std::error_code ignored;
  return list_names(ignored);
}

std::vector<std::string> FileStore::list_names(std::error_code& error) const {
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(wallets_, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const auto name = entry->path().stem().string();
    std::error_code ignored;
    if (entry->path().extension() == kExtension && is_wallet_name(name) && entry->is_regular_file(ignored)) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool FileStore::contains(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(path_of(name), ignored);
}

void FileStore::create(const std::string& name, const NewStoredWallet& wallet,
                       const std::function<void()>& before_naming) {
  const FileLock lock = make_wallet_file(path_of(name), wallet, before_naming);
  const EventSource source{name, identity_of(wallet.info, wallet.contents.config)};
  try_log([&](EventLog& log) { log.add_wallet(source, wall_time()); });
}

std::unique_ptr<StoredWallet> FileStore::open(const std::string& name, Access access) {
  auto file = std::make_unique<WalletRepository>(WalletRepository::open(path_of(name), mode_of(access), network_));
  file->log_as(name);
  if (access == Access::Write) take_over_all(*file);
  return file;
}

std::optional<StoredBalance> FileStore::balance(const std::string& name) {
  return balance_of_file(path_of(name), network_);
}

void FileStore::backup(const std::string& name, const std::filesystem::path& file) {
  backup_wallet(path_of(name), file);
}

void FileStore::rename(const std::string& from, const std::string& to) {
  rename_wallet(path_of(from), path_of(to));
  try_log([&](EventLog& log) { log.rename_all(from, to); });
}

void FileStore::remove(const std::string& name) {
  delete_wallet(path_of(name));
  try_log([&](EventLog& log) { log.remove_wallet(name, wall_time()); });
}

void FileStore::commit(std::span<WalletChanges> batch, util::UnixTime now) {
  std::vector<WalletRepository*> with_events;
  const auto log_them = [&] {
    if (!with_events.empty()) take_over(std::exchange(with_events, {}));
  };
  try {
    for (auto& each : batch) {
      WalletRepository& file = file_of(each);
      file.commit(*each.changes, now);
      each.done = true;
      if (each.changes->tells() || is_behind(file)) with_events.push_back(&file);
    }
  } catch (...) {
    log_them();
    throw;
  }
  log_them();
}

void FileStore::tell_tip(const ChainView& view, util::UnixTime now) {
  const std::lock_guard lock(mutex_);
  log().tell_tip(view, now);
  came_.notify_all();
}

LeasedWallets FileStore::wait_leased(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + std::min(timeout, kLongestWait);
  for (;;) {
    std::error_code error;
    const auto there = list_names(error);
    // A folder that cannot be read is not an empty one.
    if (error && error != std::errc::no_such_file_or_directory) {
      throw StoreError::from_errno(error.value(), "list", wallets_.string());
    }
    LeasedWallets found;
    std::ranges::set_difference(followed_, there, std::back_inserter(found.gone));
    std::ranges::set_difference(there, followed_, std::back_inserter(found.taken));
    followed_ = there;
    if (!std::exchange(looked_, true) || !found.gone.empty()) note_gone();
    const auto now = std::chrono::steady_clock::now();
    if (!found.empty() || now >= end) return found;
    std::this_thread::sleep_until(std::min(end, now + kLookAgain));
  }
}

EventLog& FileStore::log() {
  if (!log_) log_.emplace(log_path_);
  return *log_;
}

void FileStore::try_log(const std::function<void(EventLog&)>& what) {
  const std::lock_guard lock(mutex_);
  try {
    what(log());
    came_.notify_all();
  } catch (const StoreError&) {  // NOLINT(bugprone-empty-catch): see the header
  }
}

// A copy of another wallet's file comes with what was told of that one.
void FileStore::note_added(WalletRepository& file, const EventSource& source) {
  if (log().has(source)) return;
  file.owe_synced();
  log().add_wallet(source, wall_time());
  came_.notify_all();
}

void FileStore::note_gone() {
  try_log([this](EventLog& log) {
    std::set<std::string> known;
    std::vector<EventSource> missing;
    for (auto& source : log.wallets()) {
      known.insert(source.wallet);
      if (!contains(source.wallet)) missing.push_back(std::move(source));
    }
    if (missing.empty()) return;
    const auto renamed = identities_but(known);
    for (const auto& source : missing) {
      if (!renamed.contains(source.identity)) log.remove_wallet(source.wallet, wall_time());
    }
  });
}

std::set<std::uint64_t> FileStore::identities_but(const std::set<std::string>& names) {
  std::set<std::uint64_t> out;
  for (const auto& name : this->names()) {
    if (names.contains(name)) continue;
    out.insert(WalletRepository::open(path_of(name), Database::Mode::ReadOnly).identity());
  }
  return out;
}

void FileStore::note_new_name(const EventSource& source) {
  const auto known = log().names_of(source.identity);
  if (std::ranges::find(known, source.wallet) != known.end()) return;
  for (const auto& name : known) {
    if (!contains(name)) return log().rename({.wallet = name, .identity = source.identity}, source.wallet);
  }
}

void FileStore::take_over_all(WalletRepository& file) {
  const auto source = source_of(file);
  const std::lock_guard lock(mutex_);
  note_new_name(source);
  note_added(file, source);
  std::int64_t last = log().last_of(source);
  file.continue_events(last);
  for (auto events = file.events(last, kAtOnce); !events.empty(); events = file.events(last, kAtOnce)) {
    last = events.back().number;
    log().append({{source, std::move(events)}});
    came_.notify_all();
  }
}

bool FileStore::is_behind(const WalletRepository& file) {
  const std::lock_guard lock(mutex_);
  return behind_.contains(file.log_name());
}

void FileStore::take_over(const std::vector<WalletRepository*>& files) {
  const std::lock_guard lock(mutex_);
  for (const WalletRepository* file : files) behind_.insert(file->log_name());
  std::vector<EventLog::Addition> additions;
  additions.reserve(files.size());
  for (WalletRepository* file : files) {
    auto source = source_of(*file);
    auto events = file->events(log().last_of(source), std::numeric_limits<std::int64_t>::max());
    additions.push_back({std::move(source), std::move(events)});
  }
  log().append(additions);
  for (const WalletRepository* file : files) behind_.erase(file->log_name());
  came_.notify_all();
}

std::vector<LoggedEvent> FileStore::events(Seq after, std::size_t limit, const std::optional<std::string>& wallet) {
  const std::lock_guard lock(mutex_);
  return log().read(after, limit, wallet);
}

std::vector<LoggedEvent> FileStore::wait_events(Seq after, std::size_t limit, const std::optional<std::string>& wallet,
                                                std::chrono::milliseconds timeout, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  if (timeout <= timeout.zero()) return events(after, limit, wallet);
  const auto end = Clock::now() + std::min(timeout, kLongestWait);
  std::vector<LoggedEvent> found;
  const auto look = [&] {
    found = log().read(after, limit, wallet);
    return !found.empty();
  };
  std::unique_lock lock(mutex_);
  bool is_over = false;
  while (!is_over) {
    const auto until = std::min(end, Clock::now() + kLookAgain);
    is_over = came_.wait_until(lock, stop, until, look) || until == end || stop.stop_requested();
  }
  return found;
}

Seq FileStore::newest_event() {
  const std::lock_guard lock(mutex_);
  return log().newest();
}

std::optional<Seq> FileStore::oldest_event() {
  const std::lock_guard lock(mutex_);
  return log().oldest();
}

void FileStore::prune_events(util::UnixTime before) {
  const std::lock_guard lock(mutex_);
  log().prune(before);
}

Seq FileStore::position(const std::string& consumer) {
  const std::lock_guard lock(mutex_);
  return log().position(consumer);
}

void FileStore::acknowledge(const std::string& consumer, Seq seq) {
  const std::lock_guard lock(mutex_);
  log().acknowledge(consumer, seq);
}

}  // namespace spv::store
