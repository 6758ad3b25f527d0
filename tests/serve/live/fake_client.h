// FakeClient: what stands behind a Reply in tests: keeps the answer, or takes a stream as fast as a test says.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serve/http/reply.h"
#include "store/logged_event.h"

namespace spv::test {

/// Used on one thread.
class FakeStream final : public serve::Stream {
 public:
  bool write(serve::Chunk chunk, std::uint64_t position) override {
    if (closed) return false;
    queued += chunk->size();
    most_queued = std::max(most_queued, queued);
    queue.emplace_back(std::move(chunk), position);
    if (queued > limit) {
      if (last_words) text += *last_words(known);
      end();
      return false;
    }
    if (reads) drain();
    return true;
  }
  void close(serve::Chunk last) override {
    drain();
    if (last) text += *last;
    end();
  }
  void on_overflow(std::function<serve::Chunk(std::uint64_t)> words) override { last_words = std::move(words); }
  void on_closed(std::function<void()> callback) override { closed_callback = std::move(callback); }
  std::size_t waiting() const override { return queued; }
  void on_drained(std::function<void()> callback) override { drained = std::move(callback); }

  /// The client reads what has come.
  void drain() {
    while (!queue.empty()) read_one();
  }
  void read_one() {
    text += *queue.front().first;
    queued -= queue.front().first->size();
    known = queue.front().second;
    ++chunks;
    queue.pop_front();
    if (queue.empty() && drained) drained();
  }
  void end() {
    queue.clear();
    queued = 0;
    if (!std::exchange(closed, true) && closed_callback) closed_callback();
  }
  /// The numbers of the events that the client has got.
  [[nodiscard]] std::vector<store::Seq> seqs() const {
    std::vector<store::Seq> out;
    for (auto at = text.find("id: "); at != std::string::npos; at = text.find("id: ", at + 1)) {
      out.push_back(std::stoll(text.substr(at + 4, 20)));
    }
    return out;
  }

  /// The last one of them; 0: none. Cheap, also for a long text.
  [[nodiscard]] store::Seq last_seq() const {
    const auto at = text.rfind("id: ");
    return at == std::string::npos ? 0 : std::stoll(text.substr(at + 4, 20));
  }

  bool reads = true;
  std::size_t limit = 262'144;
  std::size_t queued = 0;
  std::size_t most_queued = 0;
  std::size_t chunks = 0;
  std::uint64_t known = 0;
  bool closed = false;
  std::string text;
  std::deque<std::pair<serve::Chunk, std::uint64_t>> queue;
  std::function<serve::Chunk(std::uint64_t)> last_words;
  std::function<void()> closed_callback;
  std::function<void()> drained;
};

class FakeClient final : public serve::ReplySink {
 public:
  void send(serve::Response&& response, std::string_view /*route*/) override { answer = std::move(response); }
  std::shared_ptr<serve::Stream> stream(serve::Response&& head, std::string_view /*route*/) override {
    stream_head = std::move(head);
    return out;
  }
  void on_gone(std::function<void()> callback) override { gone = std::move(callback); }

  std::optional<serve::Response> answer;
  std::optional<serve::Response> stream_head;
  std::shared_ptr<FakeStream> out = std::make_shared<FakeStream>();
  std::function<void()> gone;
};

}  // namespace spv::test
