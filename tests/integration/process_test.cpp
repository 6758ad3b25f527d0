// Child processes, as the tests of the command line run them.
#include "tests/support/process.h"

#include <signal.h>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/support/vectors.h"

namespace spv::test {
namespace {

using namespace std::chrono_literals;

TEST(Process, KeepsStdoutStderrAndTheExitCodeApart) {
  const auto result = run({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_FALSE(result.timed_out);
}

TEST(Process, MovesMoreThanAPipeHoldsBothWays) {
  const std::string text(1'000'000, 'x');
  EXPECT_EQ(run({"cat"}, {.input = text}).out, text);
}

TEST(Process, AChildThatIgnoresItsInputDoesNotEndTheTest) {
  EXPECT_EQ(run({"true"}, {.input = std::string(1'000'000, 'x')}).exit_code, 0);
}

TEST(Process, SetsTheEnvironmentOnTopOfItsOwn) {
  const auto result = run({"sh", "-c", "printf %s \"$HOME\""}, {.environment = {{"HOME", "/nowhere"}}});
  EXPECT_EQ(result.out, "/nowhere");
}

TEST(Process, IsKilledWhenTheTimeIsUp) {
  const auto result = run({"sleep", "60"}, {.timeout = 50ms});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
}

TEST(Process, AProgramThatIsNotThereIs127) { EXPECT_EQ(run({"/nowhere/program"}).exit_code, 127); }

TEST(ChildProcess, RunsInTheBackgroundUntilASignal) {
  const TempDir folder;
  ChildProcess child({"sh", "-c", "echo started; exec sleep 60"}, folder.file("out"));
  while (read_text(folder.file("out")).empty()) EXPECT_TRUE(child.running());
  EXPECT_EQ(read_text(folder.file("out")), "started\n");
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait(10s), 128 + SIGTERM);
  EXPECT_FALSE(child.running());
}

}  // namespace
}  // namespace spv::test
