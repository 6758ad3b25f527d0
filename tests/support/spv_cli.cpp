#include "tests/support/spv_cli.h"

#include <stdexcept>

namespace spv::test {

std::string SpvCli::binary() { return SPV_PROGRAM; }

ProcessResult SpvCli::run(std::vector<std::string> arguments, const std::string& input) {
  std::vector<std::string> command{binary(), "--regtest", "--datadir", folder_.path().string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessOptions options;
  options.input = input;
  return test::run(command, options);
}

boost::json::value SpvCli::json(std::vector<std::string> arguments, const std::string& input) {
  arguments.emplace_back("--json");
  const std::string name = arguments.front();
  const ProcessResult result = run(std::move(arguments), input);
  if (result.exit_code != 0) {
    throw std::runtime_error("spv " + name + " ended with " + std::to_string(result.exit_code) + ": " + result.err);
  }
  return boost::json::parse(result.out);
}

}  // namespace spv::test
