// `spv filter union` and `intersect`, and elements as text and from stdin.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/spv_cli.h"
#include "tests/support/vectors.h"

namespace spv::test {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using testing::HasSubstr;

class FilterSets : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  void create(const std::string& name, const Arguments& elements, const Arguments& more = {}) {
    Arguments arguments{"filter", "create", "--elements", "50", "--fp-rate", "0.001", "--tweak", "7"};
    for (std::size_t i = 0; i + 1 < more.size(); i += 2) {
      const auto found = std::find(arguments.begin(), arguments.end(), more[i]);
      if (found == arguments.end()) {
        arguments.insert(arguments.end(), {more[i], more[i + 1]});
      } else {
        *(found + 1) = more[i + 1];
      }
    }
    arguments.push_back(file(name));
    cli_.json(arguments);
    if (elements.empty()) return;
    Arguments add{"filter", "add", file(name), "--text"};
    add.insert(add.end(), elements.begin(), elements.end());
    cli_.json(add);
  }
  boost::json::value exists(const std::string& name, const Arguments& elements) {
    Arguments arguments{"filter", "exists", file(name), "--text"};
    arguments.insert(arguments.end(), elements.begin(), elements.end());
    return cli_.json(arguments).at("results");
  }
  ProcessResult combine(const std::string& operation, const std::string& out = "out") {
    return cli_.run({"filter", operation, file("a"), file("b"), "--out", file(out)});
  }

  SpvCli cli_;
  TempDir folder_;
};

TEST_F(FilterSets, AUnionIsTheFilterOfAllElements) {
  create("a", {"one", "two"});
  create("b", {"two", "three"});
  create("all", {"one", "two", "three"});
  const auto made = cli_.json({"filter", "union", file("a"), file("b"), "--out", file("out")});
  EXPECT_EQ(made.at("operation"), "union");
  EXPECT_EQ(made.at("file"), boost::json::value(file("out")));
  EXPECT_NEAR(made.at("estimated_elements").to_number<double>(), 3, 0.5);
  EXPECT_EQ(read_text(file("out")), read_text(file("all")));
}

TEST_F(FilterSets, AnIntersectionMatchesWhatBothHold) {
  create("a", {"one", "two", "both"});
  create("b", {"three", "four", "both"});
  const auto made = cli_.json({"filter", "intersect", file("a"), file("b"), "--out", file("out")});
  EXPECT_EQ(made.at("operation"), "intersection");
  EXPECT_NEAR(made.at("estimated_common").to_number<double>(), 1, 0.5);
  EXPECT_LT(made.at("fp_now").to_number<double>(), 1e-6);
  EXPECT_EQ(exists("out", {"both", "one", "three"}), boost::json::parse("[true,false,false]"));
}

TEST_F(FilterSets, TheResultIsForItsOwnerAlone) {
  create("a", {"one"});
  create("b", {"two"});
  const auto before = ::umask(0);
  combine("union", "u");
  combine("intersect", "i");
  ::umask(before);
  for (const char* name : {"u", "i"}) {
    EXPECT_EQ(fs::status(file(name)).permissions(), fs::perms::owner_read | fs::perms::owner_write) << name;
  }
}

TEST_F(FilterSets, SaysWhatTheResultContains) {
  create("a", {"one"});
  create("b", {"two"});
  EXPECT_THAT(combine("union", "u").out, HasSubstr("it contains every element of both filters"));
  EXPECT_THAT(combine("intersect", "i").out, HasSubstr("it contains the elements that are in both filters, about 0"));
  const auto inspected = cli_.run({"filter", "inspect", file("i")}).out;
  EXPECT_THAT(inspected, HasSubstr("An intersection: at most the elements that both filters contain"));
  EXPECT_THAT(inspected, HasSubstr("A union: every element of both filters"));
}

TEST_F(FilterSets, FiltersThatDifferAreRefusedWithTheDifference) {
  struct Case {
    Arguments other;
    const char* words;
  };
  create("a", {"one"});
  for (const auto& [other, words] :
       {Case{{"--elements", "60"}, "their sizes differ (89 and 107 bytes)"},
        Case{{"--elements", "75", "--fp-rate", "0.0101"}, "their hash functions differ (9 and 6)"},
        Case{{"--tweak", "8"}, "their tweaks differ (7 and 8)"},
        Case{{"--flags", "none"}, "their flags differ (all and none)"}}) {
    create("b", {"two"}, other);
    for (const char* operation : {"union", "intersect"}) {
      const auto result = combine(operation);
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_THAT(result.err, HasSubstr(words));
      EXPECT_FALSE(fs::exists(file("out")));
    }
    fs::remove(file("b"));
  }
}

TEST_F(FilterSets, NothingIsOverwritten) {
  create("a", {"one"});
  create("b", {"two"});
  const auto before = read_text(file("b"));
  EXPECT_EQ(combine("union", "b").exit_code, 1);
  EXPECT_EQ(read_text(file("b")), before);
  EXPECT_EQ(cli_.run({"filter", "union", file("a"), file("b")}).exit_code, 2) << "--out is required";
  EXPECT_EQ(cli_.run({"filter", "union", file("a"), file("none"), "--out", file("c")}).exit_code, 1);
}

// --- stdin and text

TEST_F(FilterSets, ElementsComeFromStdinOnePerLine) {
  create("a", {});
  const auto added = cli_.json({"filter", "add", file("a"), "-"}, "0011\r\n2233\nAAbb");
  EXPECT_EQ(added.at("added"), boost::json::value(3));
  EXPECT_EQ(cli_.json({"filter", "exists", file("a"), "-"}, "2233\nffff\naabb\n").at("results"),
            boost::json::parse("[true,false,true]"));
  EXPECT_EQ(cli_.run({"filter", "exists", file("a"), "-"}, "0011\nffff\n").out, "matches 0011\nno      ffff\n");
  EXPECT_EQ(cli_.json({"filter", "exists", file("a"), "-"}).at("results").as_array().size(), 0U);
}

TEST_F(FilterSets, TextIsTakenAsItsBytes) {
  create("a", {});
  cli_.json({"filter", "add", file("a"), "--text", "-"}, "grüße\nplain text\n");
  EXPECT_EQ(cli_.json({"filter", "exists", file("a"), "6772c3bcc39f65", "706c61696e2074657874"}).at("results"),
            boost::json::parse("[true,true]"));
  EXPECT_EQ(cli_.run({"filter", "exists", file("a"), "--text", "plain text"}).out, "matches plain text\n");
}

TEST_F(FilterSets, ABadLineIsNamedAndNothingIsAdded) {
  create("a", {});
  const auto before = read_text(file("a"));
  const auto refused = [&](const Arguments& more, const std::string& input) {
    Arguments arguments{"filter", "add", file("a")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = cli_.run(arguments, input);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(read_text(file("a")), before);
    return result.err;
  };
  EXPECT_THAT(refused({"-"}, "00\nzz\n"), HasSubstr("line 2 is not hex: 'zz' (use --text"));
  EXPECT_THAT(refused({"-"}, "00\n\n11\n"), HasSubstr("line 2 is empty"));
  EXPECT_THAT(refused({"-"}, "00\n" + std::string(1'042, 'a') + "\n"), HasSubstr("line 2 is longer than 1040"));
  EXPECT_THAT(refused({"--text", "-"}, std::string(100'000, 'x')), HasSubstr("line 1 is longer than 520"));
  EXPECT_THAT(refused({"00", "-"}, "00\n"), HasSubstr("not both"));
}

TEST_F(FilterSets, AMillionLinesTakeSeconds) {
  cli_.json({"filter", "create", "--elements", "10000", "--fp-rate", "0.001", file("large")});
  std::string lines;
  lines.reserve(9'000'000);
  for (int i = 0; i < 1'000'000; ++i) lines += "a" + std::to_string(1'000'000 + i) + "\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(cli_.json({"filter", "add", "--text", file("large"), "-"}, lines).at("added"),
            boost::json::value(1'000'000));
  EXPECT_EQ(cli_.json({"filter", "exists", "--text", file("large"), "-"}, lines).at("results").as_array().size(),
            1'000'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60)) << "a few seconds without sanitizers";
}

TEST_F(FilterSets, DesignPlotsTheOverfilledFilter) {
  const Arguments plan{"filter", "design", "--elements", "100", "--fp-rate", "0.001"};
  Arguments plot = plan;
  plot.insert(plot.end(), {"--plot", file("plot.svg")});
  EXPECT_EQ(cli_.run(plot).out, cli_.run(plan).out);
  EXPECT_EQ(read_text(file("plot.svg")).rfind("<svg ", 0), 0U);
  plot.back() = file("no/plot.svg");
  EXPECT_EQ(cli_.run(plot).exit_code, 1);
}

}  // namespace
}  // namespace spv::test
