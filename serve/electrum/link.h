// Link: the connection of one client, plain or by TLS. Reads for its session only as fast as the client reads answers,
// so its memory is bounded; one that takes nothing is cut off. Of the server's thread.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "serve/electrum/session.h"
#include "util/time.h"

namespace spv::serve::electrum {

struct LinkLimits {
  /// Nothing is read or begun for a client for which so much waits to be sent.
  std::size_t high_water = 1'000'000;
  /// With so much it is cut off.
  std::size_t most_waiting = 16'000'000;
  util::Duration idle_time = std::chrono::minutes(10);
  util::Duration write_time = std::chrono::seconds(30);
  util::Duration handshake_time = std::chrono::seconds(10);
};

/// What links call.
class LinkOwner {
 public:
  LinkOwner() = default;
  LinkOwner(const LinkOwner&) = delete;
  LinkOwner& operator=(const LinkOwner&) = delete;
  virtual ~LinkOwner() = default;
  [[nodiscard]] virtual const World& world() const = 0;
  [[nodiscard]] virtual const LinkLimits& limits() const = 0;
  [[nodiscard]] virtual util::TimePoint now() const = 0;
  virtual void carry_out(const std::shared_ptr<class Link>& link, Order order) = 0;
  /// The session may have something new to say about itself.
  virtual void on_step(class Link& link) = 0;
  virtual void on_gone(class Link& link) = 0;
};

class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(LinkOwner& owner, std::string address);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  virtual ~Link() = default;

  virtual void start() = 0;
  /// Does what can be done now: steps of the session, reading, writing.
  void pump();
  void finish(Ticket ticket, const Outcome& outcome);
  /// Once a second.
  void check(util::TimePoint now);
  /// Ends at once.
  void cut();

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] util::TimePoint since() const { return since_; }

 protected:
  void on_ready();
  void on_read(bool failed, std::size_t count);
  void on_written(bool failed);
  [[nodiscard]] std::array<char, 8'192>& buffer() { return buffer_; }
  [[nodiscard]] const std::string& going_out() const { return going_out_; }

 private:
  virtual void begin_read() = 0;
  virtual void begin_write() = 0;
  virtual void shut() = 0;
  virtual void post_pump() = 0;

  void take_from_session();
  void begin_errands();
  void write_or_end();
  [[nodiscard]] std::size_t unsent() const { return waiting_.size() + going_out_.size(); }

  LinkOwner& owner_;
  std::string address_;
  Session session_;
  std::array<char, 8'192> buffer_{};
  std::string waiting_;    // to be written next
  std::string going_out_;  // being written
  std::deque<Order> orders_;
  util::TimePoint since_{};
  util::TimePoint heard_{};
  util::TimePoint wrote_{};  // when the write that is under way began
  bool is_ready_ = false;
  bool is_reading_ = false;
  bool is_pumping_ = false;
  bool is_over_ = false;
};

}  // namespace spv::serve::electrum
