// Streams: many readers of the same chunks, slow ones, and the end.
#include <fstream>
#include <unistd.h>

#include "tests/serve/http/server_fixture.h"

namespace spv::test {
namespace {

using serve::Chunk;
using serve::Stream;
using std::chrono::milliseconds;

Chunk chunk(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

class HttpStream : public ServerTest {
 protected:
  HttpStream() {
    handler_.script = [this](serve::Request, serve::Reply reply) {
      auto stream = reply.stream({.content_type = "text/event-stream"});
      const std::scoped_lock lock(mutex_);
      streams_.push_back(stream);
      if (on_open) on_open(*stream);
    };
  }
  std::vector<std::shared_ptr<Stream>> streams() {
    const std::scoped_lock lock(mutex_);
    return streams_;
  }
  std::shared_ptr<Stream> only() {
    EXPECT_TRUE(becomes_true([&] { return streams().size() == 1; }));
    return streams()[0];
  }
  std::function<void(Stream&)> on_open;

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Stream>> streams_;
};

TEST_F(HttpStream, GivesWhatIsWrittenAndEnds) {
  on_open = [](Stream& stream) { stream.write(chunk("first ")); };
  const auto running = start();
  RawClient client = connect();
  client.send(get("/stream"));
  const auto head = client.read();
  EXPECT_EQ(head->status, 200U);
  EXPECT_EQ(head->header("content-type"), "text/event-stream");
  EXPECT_EQ(head->headers.count("content-length"), 0U);
  std::atomic<int> closed{0};
  only()->on_closed([&] { ++closed; });
  EXPECT_TRUE(only()->write(chunk("second ")));
  EXPECT_TRUE(client.read_until("first second "));
  only()->write(chunk("third "));
  only()->close(chunk("last"));
  EXPECT_FALSE(only()->write(chunk("never")));
  EXPECT_EQ(client.read_to_end(), "first second third last");
  client.shut_down_sending();
  EXPECT_TRUE(becomes_true([&] { return closed == 1 && server_->open_streams() == 0; }));
  only()->on_closed([&] { ++closed; });
  EXPECT_EQ(closed, 2) << "at once where it has ended";
}

TEST_F(HttpStream, NoticesAClientThatGoes) {
  const auto running = start();
  std::atomic<bool> closed{false};
  {
    RawClient client = connect();
    client.ask(get("/stream"));
    only()->on_closed([&] { closed = true; });
  }
  EXPECT_TRUE(becomes_true([&] { return closed.load(); }));
  EXPECT_FALSE(only()->write(chunk("x")));
  EXPECT_EQ(server_->open_streams(), 0U);
  EXPECT_EQ(server_->open_connections(), 0U);
}

TEST_F(HttpStream, ALongHistoryGoesOutPieceByPiece) {
  constexpr int kPieces = 200;
  options_.limits.queue_bytes = 20'000;
  std::atomic<int> sent{0};
  on_open = [&](Stream& stream) {
    stream.on_drained([&] {
      while (sent < kPieces && streams()[0]->waiting() < 10'000) {
        const std::string number = std::to_string(sent++);
        EXPECT_TRUE(streams()[0]->write(chunk(std::string(5'000, '.') + number + ';')));
      }
      if (sent == kPieces) streams()[0]->close();
    });
  };
  const auto running = start();
  RawClient client = connect();
  client.send(get("/stream"));
  EXPECT_TRUE(client.read_to_end().ends_with("199;"));
}

TEST_F(HttpStream, A8_ASlowReaderIsCutOffWithThePositionToResumeFrom) {
  options_.limits.queue_bytes = 100'000;
  const auto running = start();
  RawClient client = connect(4'096);
  client.ask(get("/stream"));
  const auto stream = only();
  stream->on_overflow(
      [](std::uint64_t position) { return chunk("\nresume after " + std::to_string(position) + "\n"); });
  std::uint64_t written = 0;
  while (stream->write(chunk(std::string(999, 'x') + '\n'), written + 1)) {
    ASSERT_LT(++written, 1'000'000U);
    ASSERT_LE(stream->waiting(), 100'000U);
  }
  const std::string all = client.read_to_end();
  const auto said = all.rfind("\nresume after ");
  ASSERT_NE(said, std::string::npos);
  const auto position = std::stoull(all.substr(said + 14));
  EXPECT_LT(position, written);
  EXPECT_EQ(said, position * 1'000) << "what it got is what it was told, to the byte";
  client.shut_down_sending();
  EXPECT_TRUE(becomes_true([&] { return server_->open_streams() == 0; }));
}

TEST_F(HttpStream, A8_AReaderThatNeverReadsIsCutOffAndCostsTheOthersNothing) {
  options_.limits.queue_bytes = 100'000;
  options_.limits.last_words_time = milliseconds(200);
  const auto running = start();
  RawClient stuck = connect(4'096);
  stuck.ask(get("/stream"));
  RawClient reader = connect();
  reader.ask(get("/stream"));
  ASSERT_TRUE(becomes_true([&] { return streams().size() == 2; }));
  std::atomic<bool> is_cut{false};
  streams()[0]->on_closed([&] { is_cut = true; });
  const Chunk piece = chunk(std::string(10'000, 'x'));
  while (streams()[0]->write(piece)) {
  }
  EXPECT_TRUE(becomes_true([&] { return is_cut.load(); }));
  EXPECT_TRUE(streams()[1]->write(chunk("still here")));
  EXPECT_TRUE(reader.read_until("still here"));
}

TEST_F(HttpStream, A8_AReaderThatStopsIsCutOffThoughLittleWaits) {
  options_.limits.write_time = milliseconds(200);
  options_.limits.queue_bytes = 50'000'000;
  const auto running = start();
  RawClient client = connect(4'096);
  client.ask(get("/stream"));
  for (int i = 0; i < 400; ++i) only()->write(chunk(std::string(100'000, 'x')));
  EXPECT_TRUE(becomes_true([&] { return server_->open_streams() == 0; }));
}

TEST_F(HttpStream, A6_OneStreamTooManyIs429) {
  options_.limits.streams = 3;
  const auto running = start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(connect());
    EXPECT_EQ(clients.back().ask(get("/stream"))->status, 200U);
  }
  RawClient extra = connect();
  const auto answer = extra.ask(get("/stream"));
  EXPECT_EQ(answer->status, 429U);
  EXPECT_NE(answer->header("retry-after"), "");
  ASSERT_TRUE(becomes_true([&] { return streams().size() == 4; }));
  EXPECT_FALSE(streams()[3]->write(chunk("x")));
  clients.pop_back();
  EXPECT_TRUE(becomes_true([&] { return connect().ask(get("/stream"))->status == 200; }));
}

TEST_F(HttpStream, A6_WhatAStreamingClientSendsIsNotKept) {
  const auto running = start();
  RawClient client = connect();
  client.ask(get("/stream"));
  for (int i = 0; i < 1'000 && client.send(std::string(100'000, 'x')); ++i) {
  }
  EXPECT_TRUE(becomes_true([&] { return server_->open_streams() == 0; }));
}

TEST_F(HttpStream, HeadOfAStreamIsItsHeadAlone) {
  const auto running = start();
  RawClient client = connect();
  client.send("HEAD /stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + std::string(kToken) + "\r\n\r\n" +
              get("/stream"));
  EXPECT_EQ(client.read(true)->status, 200U);
  EXPECT_EQ(client.read()->status, 200U);
  ASSERT_TRUE(becomes_true([&] { return streams().size() == 2; }));
  EXPECT_FALSE(streams()[0]->write(chunk("x")));
}

TEST_F(HttpStream, T6_WritesOfManyThreadsArriveWhole) {
  options_.limits.queue_bytes = 50'000'000;
  const auto running = start();
  RawClient client = connect();
  client.ask(get("/stream"));
  const auto stream = only();
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] {
      for (int n = 0; n < 2'000; ++n) stream->write(chunk(std::string(99, 'x') + '\n'));
    });
  for (auto& writer : writers) writer.join();
  stream->close();
  const std::string all = client.read_to_end();
  ASSERT_EQ(all.size(), 800'000U);
  for (std::size_t i = 99; i < all.size(); i += 100) ASSERT_EQ(all[i], '\n');
}

TEST_F(HttpStream, T5_MayOutliveTheServer) {
  const auto running = start();
  RawClient client = connect();
  client.ask(get("/stream"));
  const auto stream = only();
  stop_and_wait();
  server_.reset();
  EXPECT_FALSE(stream->write(chunk("x")));
  stream->close();
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(HttpStream, A6_AThousandStreamsTakeLittleMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have memory of their own";
#endif
  constexpr std::size_t kStreams = 1'000;
  const auto running = start();
  std::vector<RawClient> clients;
  clients.reserve(kStreams);
  const std::size_t before = resident_bytes();
  for (std::size_t i = 0; i < kStreams; ++i) {
    clients.push_back(connect());
    ASSERT_EQ(clients.back().ask(get("/stream"))->status, 200U);
  }
  ASSERT_TRUE(becomes_true([&] { return streams().size() == kStreams; }));
  const Chunk shared = chunk(std::string(10'000, 'x') + "end");
  for (const auto& stream : streams()) EXPECT_TRUE(stream->write(shared));
  for (auto& client : clients) ASSERT_TRUE(client.read_until("end"));
  std::size_t of_clients = 0;
  for (const auto& client : clients) of_clients += client.unread().capacity();
  const std::size_t used = resident_bytes() - before;
  EXPECT_LT((used - std::min(used, of_clients)) / kStreams, 30'000U);
}

}  // namespace
}  // namespace spv::test
