// The command of --exec: one at a time, in order, with the event on its stdin and nothing else of ours.
#include "cli/commands/event_command.h"

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace spv::cli {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

/// Nothing where there is no such file yet.
std::string text_in(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

client::SyncEvent tip_event(chain::Height height) { return client::TipChanged{{height, {}}}; }

client::SyncEvent payment_event() {
  chain::Txid txid;
  txid.bytes.fill(0x11);
  return client::TransactionSeen{txid, 5'000, std::nullopt};
}

class EventCommandTest : public testing::Test {
 protected:
  /// Runs the command for the events, and gives what it left in $OUT.
  std::string output_of(const std::string& command, const std::vector<client::SyncEvent>& events) {
    const std::string out = folder_.file("out");
    EventCommand each("OUT='" + out + "'; " + command, "mine");
    for (const auto& event : events) each.push(event);
    each.finish(seconds(30));
    return text_in(out);
  }
  test::TempDir folder_;
};

TEST_F(EventCommandTest, GetsTheEventOnItsStdinAndInItsEnvironment) {
  const auto out =
      output_of(R"(cat >>"$OUT"; echo "$SPV_EVENT/$SPV_TXID/$SPV_WALLET" >>"$OUT")", {payment_event(), tip_event(7)});
  const std::string txid(64, '1');
  EXPECT_THAT(out, HasSubstr(R"("event":"tx","txid":")" + txid));
  EXPECT_THAT(out, HasSubstr("\ntx/" + txid + "/mine\n"));
  EXPECT_THAT(out, HasSubstr(R"("event":"tip","height":7)"));
  EXPECT_THAT(out, HasSubstr("\ntip//mine\n"));
}

TEST_F(EventCommandTest, RunsOneAfterTheOtherInOrderAndLosesNothing) {
  std::vector<client::SyncEvent> events;
  std::string expected;
  for (chain::Height i = 0; i < 40; ++i) {
    events.push_back(tip_event(i));
    expected += std::to_string(i) + "\n";
  }
  // Two at once would find the folder of the other.
  const auto out = output_of(R"(mkdir "$OUT.d" || echo twice >>"$OUT"
sed 's/.*"height":\([0-9]*\).*/\1/' >>"$OUT"; rmdir "$OUT.d")",
                             events);
  EXPECT_EQ(out, expected);
}

TEST_F(EventCommandTest, InheritsNeitherDescriptorsNorOurStdout) {
  const std::ofstream ours(folder_.file("secret"));  // opened by libstdc++, without O_CLOEXEC
  const auto out = output_of(R"(ls -l /proc/$$/fd >"$OUT")", {tip_event(1)});
  EXPECT_EQ(out.find("secret"), std::string::npos) << out;
}

TEST_F(EventCommandTest, ItsFailureIsReportedAndTheNextEventGoesOn) {
  testing::internal::CaptureStderr();
  const auto out = output_of(R"(echo "$SPV_EVENT" >>"$OUT"; exit 3)", {tip_event(1), payment_event()});
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(out, "tip\ntx\n");
  EXPECT_THAT(said, HasSubstr("--exec exited with status 3 (event tip)"));
  EXPECT_THAT(said, HasSubstr("(event tx)"));
}

TEST_F(EventCommandTest, OneEventThatIsLeftIsOne) {
  testing::internal::CaptureStderr();
  const std::string pid_file = folder_.file("pid");
  {
    EventCommand each("echo $$ >'" + pid_file + "'; exec sleep 60", "mine");
    for (int i = 0; i < 2; ++i) each.push(tip_event(i));
    while (text_in(pid_file).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    each.finish(std::chrono::milliseconds(20));
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("not run for the last event\n"));
  ::kill(std::stoi(text_in(pid_file)), SIGKILL);
}

TEST_F(EventCommandTest, OneThatDoesNotEndIsLeftAloneAndSaid) {
  testing::internal::CaptureStderr();
  const std::string pid_file = folder_.file("pid");
  const auto began = std::chrono::steady_clock::now();
  {
    EventCommand each("echo $$ >'" + pid_file + "'; exec sleep 60", "mine");
    for (int i = 0; i < 3; ++i) each.push(tip_event(i));
    while (text_in(pid_file).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    each.finish(std::chrono::milliseconds(20));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(30));
  const auto said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("not run for the last 2 events"));
  const pid_t child = std::stoi(text_in(pid_file));
  EXPECT_THAT(said, HasSubstr("still running (process " + std::to_string(child)));
  EXPECT_EQ(::getpgid(child), child) << "Ctrl-C on the terminal does not reach it";
  ::kill(child, SIGKILL);
}

TEST_F(EventCommandTest, TheEndOfASyncIsNoEvent) {
  EXPECT_EQ(output_of(R"(echo x >>"$OUT")", {client::SyncFinished{}, tip_event(1)}), "x\n");
}

}  // namespace
}  // namespace spv::cli
