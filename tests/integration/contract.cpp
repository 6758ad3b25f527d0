#include "tests/integration/contract.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace spv::test {
namespace {

namespace json = boost::json;

bool is_kind(const json::value& value, std::string_view kind) {
  if (kind.ends_with('?')) return value.is_null() || is_kind(value, kind.substr(0, kind.size() - 1));
  if (kind == "int") return value.is_int64() || value.is_uint64();
  if (kind == "null") return value.is_null();
  if (kind == "number") return value.is_number();
  if (kind == "bool") return value.is_bool();
  if (kind == "text") return value.is_string();
  if (kind == "hash") {
    return value.is_string() && value.as_string().size() == 64 &&
           value.as_string().find_first_not_of("0123456789abcdef") == std::string_view::npos;
  }
  throw std::logic_error("no such kind: " + std::string(kind));
}

/// What was tried, and what there is: "sync", "sync --transport", "sync --transport v1"; "--json" of no command.
std::set<std::string>& tried() {
  static std::set<std::string> names;
  return names;
}

/// Read from the completions for fish, a line for each option.
std::set<std::string> offered() {
  std::set<std::string> out;
  std::istringstream lines(run({SpvCli::binary(), "generate", "fish"}).out);
  static const std::regex kSeen(
      "and __fish_seen_subcommand_from ([a-z0-9-]+)|'__fish_seen_subcommand_from ([a-z0-9-]+)");
  static const std::regex kOption(" -l ([a-z0-9-]+)( -x)?( -a '([^']*)')?");
  for (std::string line; std::getline(lines, line);) {
    std::smatch option;
    if (!line.starts_with("complete ") || !std::regex_search(line, option, kOption)) continue;
    std::string name;
    for (std::sregex_iterator seen(line.begin(), line.end(), kSeen), end; seen != end; ++seen) {
      name += (*seen)[1].str() + (*seen)[2].str() + " ";
    }
    if (option[1] == "help" && !name.empty()) out.insert(name.substr(0, name.size() - 1));
    name += "--" + option[1].str();
    out.insert(name);
    std::istringstream choices(option[4].str());
    for (std::string choice; choices >> choice;) out.insert(name + " " + choice);
  }
  return out;
}

/// Fails if a command, an option or a choice of one was never tried, unless only some of the tests ran.
class EverythingTried : public testing::Environment {
 public:
  void TearDown() override {
    const auto* all = testing::UnitTest::GetInstance();
    if (!Bitcoind::binary() || all->test_to_run_count() != all->total_test_count()) return;
    EXPECT_GT(offered().size(), 150U) << "the completions are not what they were";
    for (const auto& name : offered()) {
      if (name.starts_with("serve")) continue;  // tests/serve/contract
      EXPECT_TRUE(tried().contains(name)) << "no row of the contract tries " << name;
    }
  }
};
const auto* const kEverythingTried = testing::AddGlobalTestEnvironment(new EverythingTried);

}  // namespace

void compare(const json::value& value, const json::value& schema, const std::string& at) {
  if (schema.is_string()) {
    EXPECT_TRUE(is_kind(value, std::string_view(schema.as_string())))
        << at << " is " << json::serialize(value) << ", not " << schema;
    return;
  }
  if (schema.is_array()) {
    ASSERT_TRUE(value.is_array()) << at;
    EXPECT_FALSE(value.as_array().empty()) << at << " shows nothing";
    for (const auto& each : value.as_array()) compare(each, schema.as_array().at(0), at + "[]");
    return;
  }
  ASSERT_TRUE(value.is_object()) << at << " is " << json::serialize(value);
  for (const auto& [name, kind] : schema.as_object()) {
    if (name == "+") continue;
    ASSERT_TRUE(value.as_object().contains(name)) << at << " lacks " << name;
    compare(value.at(name), kind, at + "." + std::string(name));
  }
  if (schema.as_object().contains("+")) return;
  for (const auto& [name, unused] : value.as_object()) {
    EXPECT_TRUE(schema.as_object().contains(name)) << at << " has " << name << ", which the contract does not";
  }
}

void expect_schema(const std::string& text, const std::string& schema, const std::string& name) {
  boost::system::error_code error;
  const auto document = json::parse(text, error);
  ASSERT_FALSE(error) << name << " printed " << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << name << " prints one line";
  compare(document, json::parse(schema), name);
}

Bitcoind* Contract::node_ = nullptr;
SpvCli* Contract::cli_ = nullptr;
SameKeys* Contract::keys_ = nullptr;
std::string Contract::spend_;

void Contract::SetUpTestSuite() {
  if (!Bitcoind::binary()) return;
  node_ = new Bitcoind();
  cli_ = new SpvCli();
  keys_ = new SameKeys(*node_, *cli_);
  node_->mine(101);
  node_->send(keys_->receive_address(), 3 * kBtc);
  node_->mine(1);
  keys_->sync();
  spend_ = keys_->spend(node_->new_address(), kBtc);
  node_->mine(1);
  node_->send(keys_->receive_address(), kBtc / 2);
  keys_->sync_with_mempool();
}

void Contract::TearDownTestSuite() {
  delete keys_;
  delete cli_;
  delete node_;
}

ProcessResult Contract::spv(const std::vector<std::string>& arguments, const std::string& input) {
  note(arguments);
  return cli_->run(arguments, input);
}

void Contract::note(const std::vector<std::string>& arguments) {
  const auto all = offered();
  std::string command;
  std::string option;
  for (const auto& argument : arguments) {
    if (argument.starts_with("-")) {
      option = argument == "-w" ? "--wallet" : argument == "-h" ? "--help" : argument;
      tried().insert(option);
      tried().insert(command + " " + option);
    } else if (!option.empty()) {
      tried().insert(option + " " + argument);
      tried().insert(command + " " + option + " " + argument);
      option.clear();
    }
    const auto deeper = command.empty() ? argument : command + " " + argument;
    if (all.contains(deeper) && !deeper.starts_with("-") && deeper.find(" -") == std::string::npos) command = deeper;
    tried().insert(command);
  }
}

std::set<std::string> Contract::commands() {
  auto all = offered();
  std::erase_if(all, [](const std::string& name) { return name.find("--") != std::string::npos; });
  return all;
}

}  // namespace spv::test
