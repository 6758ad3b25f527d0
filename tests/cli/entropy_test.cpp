// Where randomness comes from: getrandom(2) and nothing else, in every thread and after every fork.
#include <array>
#include <bit>
#include <filesystem>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <set>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "net/clock.h"
#include "tests/support/long_tests.h"
#include "tests/support/spv_cli.h"
#include "wallet/mnemonic.h"

namespace spv::test {
namespace {

using Entropy = std::array<std::uint8_t, 16>;

Entropy fresh() {
  Entropy out{};
  net::fill_with_entropy(out);
  return out;
}

// --- no entropy, no wallet -----------------------------------------------------------------------------------------

/// getrandom fails from here on, in this process and in what it becomes.
bool forbid_getrandom() {
  const std::array<sock_filter, 4> program{{{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                                            {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getrandom},
                                            {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
                                            {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
  const sock_fprog filter{.len = program.size(), .filter = const_cast<sock_filter*>(program.data())};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

int run_without_entropy(const std::vector<std::string>& command) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!forbid_getrandom()) ::_exit(77);
    std::vector<char*> argv;
    for (const auto& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(EntropyTest, G1_G4_WithoutEntropyNothingIsMade) {
  const TempDir folder;
  const auto spv = [&](std::vector<std::string> arguments) {
    std::vector<std::string> command{SpvCli::binary(), "--regtest", "--datadir", folder.path().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  };
  const int created = run_without_entropy(spv({"create"}));
  if (created == 77) GTEST_SKIP() << "this system allows no seccomp filter";
  EXPECT_EQ(created, 1);
  // The filter's tweak of a watch-only wallet is from the same source.
  EXPECT_EQ(run_without_entropy(spv({"watch", "--address", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"})), 1);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "regtest/wallets/default.sqlite"));
  EXPECT_EQ(run(spv({"create"})).exit_code, 0) << "and with it, it is";
}

// --- no repeats ----------------------------------------------------------------------------------------------------

TEST(EntropyTest, G2_MnemonicsOfManyThreadsAndForksAreAllDifferent) {
  constexpr std::size_t kThreads = 8;
  const std::size_t each = repeats(5'000, 125'000);
  std::array<std::vector<std::string>, kThreads> made;
  std::vector<std::thread> threads;
  for (auto& list : made) {
    threads.emplace_back([&list, each] {
      for (std::size_t i = 0; i < each; ++i) list.emplace_back(wallet::Mnemonic::from_entropy(fresh()).text());
    });
  }
  for (auto& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& list : made) all.insert(list.begin(), list.end());
  EXPECT_EQ(all.size(), kThreads * each);

  std::set<Entropy> of_children{fresh()};
  for (int i = 0; i < 50; ++i) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const Entropy bytes = fresh();
      ::_exit(::write(pipe[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) ? 0 : 1);
    }
    Entropy bytes{};
    ASSERT_EQ(::read(pipe[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::waitpid(child, nullptr, 0);
    ::close(pipe[0]), ::close(pipe[1]);
    EXPECT_TRUE(of_children.insert(bytes).second);
  }
}

// The monobit and poker tests of FIPS 140-1: one good source in a million fails.
TEST(EntropyTest, G2_BitsAreEvenAndSoAreTheirGroups) {
  std::array<std::uint8_t, 2'500> bytes{};
  net::fill_with_entropy(bytes);
  int ones = 0;
  std::array<double, 16> counts{};
  for (const std::uint8_t byte : bytes) {
    ones += std::popcount(byte);
    ++counts[byte >> 4U];
    ++counts[byte & 15U];
  }
  EXPECT_GT(ones, 9'654);
  EXPECT_LT(ones, 10'346);
  double squares = 0;
  for (const double count : counts) squares += count * count;
  const double poker = 16.0 / 5'000.0 * squares - 5'000.0;
  EXPECT_GT(poker, 1.03);
  EXPECT_LT(poker, 57.4);
}

// --- no other source -----------------------------------------------------------------------------------------------

TEST(EntropyTest, G3_TheProgramHasNoOtherSourceOfNumbers) {
  const auto imports = run({"nm", "-D", "--undefined-only", SpvCli::binary()});
  ASSERT_EQ(imports.exit_code, 0) << imports.err;
  EXPECT_NE(imports.out.find(" getrandom"), std::string::npos) << "the one that it has";
  const auto symbols = run({"nm", "-C", SpvCli::binary()});
  ASSERT_EQ(symbols.exit_code, 0) << symbols.err;
  for (const char* other :
       {" rand@", " srand@", " rand_r@", " random@", " srandom@", " drand48@", " lrand48@", " RAND_"}) {
    EXPECT_EQ(imports.out.find(other), std::string::npos) << other;
  }
  for (const char* other : {"mersenne_twister", "linear_congruential", "random_device"}) {
    EXPECT_EQ(symbols.out.find(other), std::string::npos) << other;
  }
}

}  // namespace
}  // namespace spv::test
