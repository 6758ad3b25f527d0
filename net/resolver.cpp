#include "net/resolver.h"

#include <array>
#include <exception>
#include <map>
#include <mutex>
#include <netdb.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "p2p/net_address.h"

namespace spv::net {
namespace asio = boost::asio;
namespace {

// A seed's answer has a few dozen; more are not needed from one name.
constexpr std::size_t kMaxAnswers = 256;

/// What others' code throws would end the process: nothing stands above it in its thread.
LookupResult answer_of(const std::function<LookupResult()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return {.addresses = {}, .error = error.what()};
  } catch (...) {
    return {.addresses = {}, .error = "an unknown exception"};
  }
}

}  // namespace

LookupResult system_lookup(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(name.c_str(), nullptr, &hints, &found);
  LookupResult result;
  if (error != 0) {
    result.error = gai_strerror(error);
    return result;
  }
  for (const addrinfo* entry = found; entry != nullptr && result.addresses.size() < kMaxAnswers;
       entry = entry->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      result.addresses.emplace_back(text.data());
    }
  }
  freeaddrinfo(found);
  return result;
}

struct Resolver::Door {
  struct Question {
    explicit Question(asio::io_context& io) : answered(io) {}
    asio::steady_timer answered;
    LookupResult result;
  };
  std::mutex mutex;
  asio::io_context* io = nullptr;  // null once closed
  // A thread may outlive the loop, so it holds the number of its question and never a timer.
  std::map<std::uint64_t, std::shared_ptr<Question>> waiting;
  std::uint64_t next_number = 0;

  std::uint64_t ask(std::shared_ptr<Question> question) {
    const std::lock_guard lock(mutex);
    waiting.emplace(next_number, std::move(question));
    return next_number++;
  }
  void answer(std::uint64_t number, LookupResult result) {
    const std::lock_guard lock(mutex);
    if (io == nullptr) return;
    auto asked = waiting.extract(number);
    if (asked.empty()) return;
    asio::post(*io, [question = std::move(asked.mapped()), result = std::move(result)]() mutable {
      question->result = std::move(result);
      question->answered.cancel();
    });
  }
};

Resolver::Resolver(asio::io_context& io, Lookup lookup)
    : io_(io), lookup_(std::move(lookup)), door_(std::make_shared<Door>()) {
  door_->io = &io;
}

Resolver::~Resolver() {
  const std::lock_guard lock(door_->mutex);
  door_->io = nullptr;
  door_->waiting.clear();
}

asio::awaitable<LookupResult> Resolver::resolve(std::string name, util::Duration limit) {
  LookupResult result;
  if (p2p::parse_net_address(name, 1)) {
    result.addresses.push_back(std::move(name));
    co_return result;
  }
  std::function<LookupResult()> look = [lookup = lookup_, name] { return lookup(name); };
  co_return co_await in_thread(std::move(look), limit);
}

asio::awaitable<LookupResult> Resolver::in_thread(std::function<LookupResult()> work, util::Duration limit) {
  auto question = std::make_shared<Door::Question>(io_);
  question->result.error = "no answer in time";
  question->answered.expires_after(limit);
  const std::uint64_t number = door_->ask(question);
  const auto ask = [door = door_, number, work = std::move(work)] { door->answer(number, answer_of(work)); };
  try {
    std::thread(ask).detach();
  } catch (const std::system_error& error) {
    LookupResult result;
    result.error = error.what();
    co_return result;
  }
  static_cast<void>(co_await question->answered.async_wait(asio::as_tuple(asio::use_awaitable)));
  co_return std::move(question->result);
}

}  // namespace spv::net
