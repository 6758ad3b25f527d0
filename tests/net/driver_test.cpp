// The driver over real sockets on loopback.
#include "net/driver.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/net/driver_fixture.h"
#include "tests/support/faults.h"
#include "tests/support/loopback_server.h"

namespace spv::net {
namespace {

class DriverTest : public DriverFixture {};

TEST_F(DriverTest, SyncsOverARealSocket) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  EXPECT_EQ(run({server.port()}), RunResult::Finished);
  EXPECT_FALSE(driver_->failure());
  EXPECT_EQ(chain_.tip(), node.chain().tip());
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
  EXPECT_GT(commits_, 0);
  EXPECT_GT(driver_->traffic().bytes_in, 101U * 80U);
  EXPECT_GT(driver_->traffic().bytes_out, 0U);
}

TEST_F(DriverTest, N9_FramesMayComeByteByByte) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node, 1));
  EXPECT_EQ(run({server.port()}), RunResult::Finished);
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
}

TEST_F(DriverTest, ComesBackWithThePlainTransportWhereThePeerKnowsNoOther) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  run({server.port()});
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(driver_->transport({"127.0.0.1", server.port()}), "v1");
}

TEST_F(DriverTest, TriesThePlainTransportAloneIfToldSo) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  DriverOptions options;
  options.transport = TransportChoice::V1;
  EXPECT_EQ(run({server.port()}, options), RunResult::Finished);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
}

TEST_F(DriverTest, SpeaksPlainToThisMachineAtOnceWhereNothingIsToBeHidden) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  DriverOptions options;
  options.plain_on_loopback = true;
  EXPECT_EQ(run({server.port()}, options), RunResult::Finished);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(driver_->transport({"127.0.0.1", server.port()}), "v1");
}

TEST_F(DriverTest, NeverFallsBackWhereEncryptionIsDemanded) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  DriverOptions options;
  options.transport = TransportChoice::V2;
  run({server.port()}, options);
  ASSERT_TRUE(driver_->failure());
  EXPECT_EQ(chain_.height(), 0);
}

TEST_F(DriverTest, GivesUpOnAPortWhereNobodyListens) {
  EXPECT_EQ(run({1}), RunResult::Finished);
  ASSERT_TRUE(driver_->failure());
  EXPECT_EQ(driver_->failure()->code, sync::Failure::Code::NoPeers);
}

TEST_F(DriverTest, N4_LeavesAServerThatSpeaksSomethingElse) {
  const test::LoopbackServer server(
      test::serve_bytes(util::to_bytes(util::as_bytes("HTTP/1.1 400 Bad Request\r\n\r\n"))));
  DriverOptions options;
  options.transport = TransportChoice::V1;  // the encrypted one cannot tell text from a key
  run({server.port()}, options);
  ASSERT_TRUE(driver_->failure());
  EXPECT_EQ(server.connections(), 1);  // and does not come back
}

TEST_F(DriverTest, GoesOnWithAnotherPeerWhenOneSpeaksGarbage) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer bad(test::serve_bytes(util::Bytes(5'000, 0xAA)));
  const test::LoopbackServer good(test::serve_node(node));
  EXPECT_EQ(run({bad.port(), good.port()}), RunResult::Finished);
  EXPECT_FALSE(driver_->failure());
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
}

TEST_F(DriverTest, EndsWhenTheTimeIsUp) {
  const test::LoopbackServer silent(test::serve_bytes({}));
  DriverOptions options;
  options.timeout = std::chrono::milliseconds(200);
  EXPECT_EQ(run({silent.port()}, options), RunResult::TimedOut);
}

TEST_F(DriverTest, CommitsWhatItVerifiedBeforeTheTimeIsUp) {
  test::FakeNode node(paid_chain());
  node.add_fault(test::faults::stall_after(60));
  const test::LoopbackServer server(test::serve_node(node));
  DriverOptions options;
  options.timeout = std::chrono::seconds(5);  // a busy machine gets that far too; the engine waits for ten
  EXPECT_EQ(run({server.port()}, options), RunResult::TimedOut);
  EXPECT_GT(wallet_.scan().scanned_to.height, 40);
  ASSERT_TRUE(last_scan_);
  EXPECT_EQ(last_scan_->scanned_to, wallet_.scan().scanned_to);
}

TEST_F(DriverTest, AFailedCommitEndsTheRunWithItsError) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  disk_full_ = true;
  EXPECT_THROW(run({server.port()}), std::runtime_error);
}

TEST_F(DriverTest, R11_ConnectionsLeaveNoDescriptorsBehind) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{});
  };
  test::FakeNode node(test::ChainBuilder().blocks(1));
  const test::LoopbackServer server(test::serve_node(node));
  run({server.port()});
  driver_.reset();
  const auto before = open_files();
  for (int i = 0; i < 200; ++i) {
    run({server.port()});
    driver_.reset();
  }
  EXPECT_LE(open_files(), before + 1);  // the server may not have closed its last one yet
}

}  // namespace
}  // namespace spv::net
