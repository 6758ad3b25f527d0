#include "store/postgres/notices.h"

#include <utility>

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto kReconnectPause = 1s;
constexpr auto kListenTimeout = 1h;
/// More names than this are not kept: then all wallets are looked at.
constexpr std::size_t kMaxNames = 10'000;
constexpr Statement kNotify{.name = "notify", .sql = "SELECT pg_notify($1, $2)"};

}  // namespace

Command notice(std::string_view channel, std::string_view text) {
  return {.statement = kNotify, .params = Params().text(channel).text(text)};
}

Notices::Notices(DatabaseUrl url, const ConnectOptions& options) : url_(std::move(url)), options_(options) {}

Notices::~Notices() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (listener_) listener_->wake();
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Notices::start() {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

Notices::WalletNews Notices::take_wallet_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void Notices::doubt_wallet_news() {
  const std::lock_guard lock(mutex_);
  news_.all = true;
}

bool Notices::is_stopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void Notices::run() {
  while (!is_stopping()) {
    try {
      listen();
    } catch (const StoreError&) {
      std::unique_lock lock(mutex_);
      listener_.reset();
      stop_.wait_for(lock, kReconnectPause, [&] { return stopping_; });
    }
  }
}

void Notices::listen() {
  std::vector<std::string> channels;
  for (const auto channel : {kEventChannel, kWalletChannel, kRenameChannel, kErrandChannel, kAnswerChannel}) {
    channels.emplace_back(channel);
  }
  auto made = std::make_unique<Listener>(Connection(url_, options_), channels);
  Listener& listener = *made;
  {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(made);
    news_.all = true;
  }
  events_.ring();
  renames_.ring();
  answers_.ring();
  ring_errands();
  while (!is_stopping()) {
    for (const auto& notification : listener.wait(kListenTimeout).notifications) heard(notification);
  }
}

void Notices::heard(const Notification& notification) {
  if (notification.channel == kEventChannel) return events_.ring();
  if (notification.channel == kRenameChannel) return renames_.ring();
  if (notification.channel == kAnswerChannel) return answers_.ring();
  if (notification.channel == kErrandChannel) return ring_errands();
  heard_of_wallet(notification.payload);
}

void Notices::ring_errands() {
  errands_.ring();
  wallets_.ring();
}

void Notices::heard_of_wallet(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    news_.names.insert(name);
    if (news_.names.size() > kMaxNames) news_ = {.all = true, .names = {}};
  }
  wallets_.ring();
}

}  // namespace spv::store::postgres
