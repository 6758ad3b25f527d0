// Runs one fuzz target over every file of its corpus: replay TARGET FOLDER. A folder without files is a failure, and so
// is a target that is not known. The input at hand is named before it is run if a second word -v follows.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "tests/fuzz/fuzz.h"

namespace spv::fuzz {
namespace {

std::map<std::string, TargetFunction>& targets() {
  static std::map<std::string, TargetFunction> table;
  return table;
}

util::Bytes read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int replay(const std::string& name, const std::string& folder, bool verbose) {
  const auto target = targets().find(name);
  if (target == targets().end()) {
    std::fprintf(stderr, "no target is called %s\n", name.c_str());
    return 1;
  }
  std::set<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  for (const auto& file : files) {
    if (verbose) std::fprintf(stderr, "%s\n", file.c_str());
    const auto input = read(file);
    target->second(input);
  }
  std::printf("%s: %zu inputs\n", name.c_str(), files.size());
  if (files.empty()) std::fprintf(stderr, "no inputs in %s\n", folder.c_str());
  return files.empty() ? 1 : 0;
}

}  // namespace

bool register_target(const char* name, TargetFunction target) { return targets().emplace(name, target).second; }

}  // namespace spv::fuzz

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s TARGET FOLDER [-v]\n", argv[0]);
    return 2;
  }
  return spv::fuzz::replay(argv[1], argv[2], argc > 3);
}
