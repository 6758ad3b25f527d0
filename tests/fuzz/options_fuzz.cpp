// The command line: any words are an invocation, a help text, or one UsageError of one line; nothing else is thrown.
// Words are the input's lines. No config file is read: the data directory is one that does not exist.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/error.h"
#include "cli/options/options.h"
#include "tests/fuzz/fuzz.h"

SPV_FUZZ_TARGET(options, input) {
  using namespace spv;
  static const bool homeless = setenv("HOME", "/nonexistent", 1) == 0 && unsetenv("XDG_DATA_HOME") == 0;
  util::ensure(homeless, "an environment");
  std::vector<std::string> words{"spv"};
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  for (std::size_t begin = 0; begin <= text.size() && words.size() < 30;) {
    const auto end = std::min(text.find('\n', begin), text.size());
    // A word of a command line ends with its first zero.
    words.emplace_back(std::string(text.substr(begin, end - begin)).c_str());
    begin = end + 1;
  }
  for (const auto& word : words) {
    // Files and folders of this machine are not what is tested.
    if (word.find("config") != std::string::npos || word.find("datadir") != std::string::npos) return;
  }
  std::vector<const char*> arguments;
  for (const auto& word : words) arguments.push_back(word.c_str());
  try {
    const auto result = cli::parse_arguments(static_cast<int>(arguments.size()), arguments.data());
    if (const auto* information = std::get_if<cli::Information>(&result)) {
      util::ensure(!information->text.empty(), "an empty help");
    } else {
      util::ensure(!std::get<cli::Invocation>(result).common.datadir.empty(), "no data directory");
    }
  } catch (const cli::UsageError& error) {
    util::ensure(!std::string_view(error.what()).empty(), "no reason is given");
  }
}
