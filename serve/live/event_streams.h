// EventStreams: clients that get events as they come (server-sent events).
//
// Each has its position in the log. A client that is near the end gets what the ring has, in chunks that all share. One
// that is far behind is fed in pages, from the store or the ring, and gets the next page only when the last one is
// sent.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "serve/http/mailbox.h"
#include "serve/http/reply.h"
#include "serve/live/event_ring.h"
#include "serve/live/page_reader.h"
#include "serve/live/sweep.h"

namespace spv::serve {

/// On the loop's thread only.
class EventStreams : public std::enable_shared_from_this<EventStreams> {
 public:
  struct Options {
    std::chrono::milliseconds comment_every{15'000};
    std::chrono::milliseconds retry_after{1'000};
    std::chrono::milliseconds patience{10'000};
    std::size_t page_bytes = 65'536;
  };
  EventStreams(boost::asio::io_context& io, const EventRing& ring, PageReader& reader, const Options& options);
  EventStreams(const EventStreams&) = delete;
  EventStreams& operator=(const EventStreams&) = delete;
  ~EventStreams() { mailbox_->close(); }

  /// Gets all above `after`, of one wallet or of all; `first`: what was read already.
  void open(store::Seq after, std::optional<std::string> wallet, Reply reply, const EventPage* first = nullptr);
  /// The ring has more, or the store answers again.
  void wake() { sweep_.start(); }
  void close_all(std::string_view why);
  /// From any thread.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  /// Ready for more; a page is read for it; it has a page to take before it gets more.
  enum class Step { Ready, Reading, Sending };
  struct Client {
    std::shared_ptr<Stream> stream;
    std::optional<std::string> wallet;
    store::Seq position = 0;  // all up to here was written
    Step step = Step::Ready;
    std::chrono::steady_clock::time_point sending_since = {};
  };
  /// Several events as one chunk, for the clients at the same position.
  struct Joined {
    store::Seq from = 0;
    store::Seq to = 0;
    Chunk chunk;
  };

  [[nodiscard]] ClientId visit(ClientId from);
  /// A comment; the last one if the client does not take what it has got.
  [[nodiscard]] ClientId send_comment(ClientId from);
  [[nodiscard]] bool is_stuck(const Client& client) const;
  void forget(ClientId id);
  void pump(ClientId id);
  void write_from_ring(ClientId id, Client& client);
  void fetch(ClientId id, Client& client);
  void take_page(ClientId id, const PageResult& result);
  /// The client gets no more until this is sent.
  void write_page(ClientId id, Client& client, std::string text);
  void write(ClientId id, Client& client, Chunk chunk);
  [[nodiscard]] Chunk joined(const Client& client, store::Seq from, const std::vector<const RenderedEvent*>& events);
  /// All that was written has gone out.
  void go_on(ClientId id);
  void retry_later();
  void comment_later();

  const EventRing& ring_;
  PageReader& reader_;
  const Options options_;
  std::shared_ptr<Mailbox> mailbox_;
  boost::asio::steady_timer comments_;
  boost::asio::steady_timer retries_;
  Sweep sweep_;
  Sweep comment_sweep_;
  std::map<ClientId, Client> clients_;
  Joined joined_;
  std::atomic<std::size_t> count_{0};
  ClientId last_id_ = 0;
  bool commenting_ = false;
  bool retrying_ = false;
};

}  // namespace spv::serve
