// SpvCli: the built program as a user has it, with a data directory of its own on regtest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace spv::test {

class SpvCli {
 public:
  /// Runs `spv --regtest --datadir … ARGUMENTS`.
  ProcessResult run(std::vector<std::string> arguments, const std::string& input = {});
  /// The same with --json; throws with the program's own words unless it ended with 0 and printed one document.
  boost::json::value json(std::vector<std::string> arguments, const std::string& input = {});
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// The path of the program.
  static std::string binary();

 private:
  TempDir folder_;
};

}  // namespace spv::test
