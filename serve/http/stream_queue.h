// StreamQueue: a stream as its writers see it, from any thread, and what waits to be sent as the connection sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "serve/http/core.h"
#include "serve/http/stream.h"

namespace spv::serve {

class StreamQueue : public Stream {
 public:
  StreamQueue(std::shared_ptr<Mailbox> mailbox, std::shared_ptr<Counts> counts, std::size_t limit)
      : mailbox_(std::move(mailbox)), counts_(std::move(counts)), limit_(limit) {}

  bool write(Chunk chunk, std::uint64_t position) override;
  void close(Chunk last) override;
  void on_overflow(std::function<Chunk(std::uint64_t position)> last_words) override;
  void on_closed(std::function<void()> callback) override;
  [[nodiscard]] std::size_t waiting() const override;
  void on_drained(std::function<void()> callback) override;

  // What follows is for the connection, on the server's thread.

  /// Called when there is something to send, or the end.
  void on_signal(std::function<void()> callback);
  enum class Phase { Open, Closing, CutOff, Closed };
  /// Chunks to send next, of at most about `bytes` together. Those before have been sent.
  Phase take(std::size_t bytes, std::vector<Chunk>& batch);
  [[nodiscard]] bool is_cut_off() const;
  /// Tells the writer that all has been sent.
  void note_drained();
  /// The connection has ended. Gives back the place among the streams and tells the writer.
  void finish();

 private:
  struct Item {
    Chunk chunk;
    std::uint64_t position;
  };
  struct Callbacks {
    std::function<Chunk(std::uint64_t)> overflow;
    std::function<void()> closed;
    std::function<void()> drained;
    std::function<void()> signal;
  };

  void push(Chunk chunk, std::uint64_t position);
  void cut_off();
  void signal(std::unique_lock<std::mutex> lock);

  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<Counts> counts_;
  std::size_t limit_;
  mutable std::mutex mutex_;
  std::deque<Item> waiting_;
  std::size_t bytes_ = 0;  // waiting, and under way
  std::size_t bytes_under_way_ = 0;
  std::uint64_t last_position_ = 0;  // of what is under way or sent
  Phase phase_ = Phase::Open;
  bool is_signalled_ = false;
  Callbacks callbacks_;
};

}  // namespace spv::serve
