// `spv serve`: whom it lets in. That nothing listens where it is refused is shown by its end.
#include <gtest/gtest.h>

#include "tests/support/spv_cli.h"

namespace spv::test {
namespace {

using Arguments = std::vector<std::string>;

// None of them is this machine alone; a name may lead anywhere.
const Arguments kElsewhere{"0.0.0.0:0", "[::]:0", "192.0.2.1:50001", "wallet.example:50001", "127.example:50001"};

TEST(ServeCommand, L1_ElectrumClientsOfOtherMachinesAreLetInOnlyOnRequest) {
  SpvCli cli;
  for (const auto& place : kElsewhere) {
    const auto result = cli.run({"serve", "--listen", "127.0.0.1:0", "--electrum", place});
    EXPECT_EQ(result.exit_code, 2) << place << ": " << result.err;
    EXPECT_NE(result.err.find("--electrum " + place + " lets other machines in; add --allow-remote"), std::string::npos)
        << result.err;
    EXPECT_EQ(result.out, "") << "it does not listen";
  }
}

TEST(ServeCommand, OtherMachinesAreLetInOnlyOnRequest) {
  SpvCli cli;
  for (const auto& place : kElsewhere) {
    const auto result = cli.run({"serve", "--listen", place});
    EXPECT_EQ(result.exit_code, 2) << place << ": " << result.err;
    EXPECT_NE(result.err.find("add --allow-remote"), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace spv::test
