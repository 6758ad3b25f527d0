// Stream: the open end of an answer that goes on, such as server-sent events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace spv::serve {

/// Bytes that several streams may share.
using Chunk = std::shared_ptr<const std::string>;

/// May be called from any thread, and may outlive the server. The client is cut off when more waits for it than the
/// limit allows: what waits is dropped, the last words are sent if it takes them in time, and the connection is closed.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  /// Does not close it: see close().
  virtual ~Stream() = default;

  /// False: closed, or closed now because the client reads too slowly. `position` is the caller's own number for what
  /// the client knows after this chunk.
  virtual bool write(Chunk chunk, std::uint64_t position = 0) = 0;
  /// What waits is sent first, then `last`.
  virtual void close(Chunk last = nullptr) = 0;
  /// Gives the last words to a client that reads too slowly, from the position of the last chunk that it will get whole
  /// (0: none). Called by the write() that was too much.
  virtual void on_overflow(std::function<Chunk(std::uint64_t position)> last_words) = 0;
  /// Called once, when the connection has ended for whatever reason; at once if it has. Usually on the server's thread.
  virtual void on_closed(std::function<void()> callback) = 0;
  /// Bytes that wait, at most Limits::queue_bytes: who has much to send (a long history) writes a part, and more from
  /// on_drained().
  [[nodiscard]] virtual std::size_t waiting() const { return 0; }
  /// Called on the server's thread each time that all which was written has gone out.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): who overrides it keeps it
  virtual void on_drained(std::function<void()> callback) { static_cast<void>(callback); }
};

}  // namespace spv::serve
