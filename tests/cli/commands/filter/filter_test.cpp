// `spv filter`: every part, its JSON to the letter, its refusals.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "bip37/bloom_filter.h"
#include "tests/support/spv_cli.h"
#include "tests/support/vectors.h"
#include "util/hex.h"

namespace spv::test {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

// Elements and results of Core's own test of its filter.
const Arguments kElements{"99108ad8ed9bb6274d3980bab5a85c048f0950c8", "b5a2c786d9ef4658287ced5914b37a1b4aa32eee",
                          "b9300670b4c5366e95b2699e8b18bc75e5f729c5"};
constexpr const char* kForeign = "19108ad8ed9bb6274d3980bab5a85c048f0950c8";

std::set<std::string> keys(const boost::json::value& document) {
  std::set<std::string> out;
  for (const auto& field : document.as_object()) out.insert(std::string(field.key()));
  return out;
}

class FilterCommand : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name = "filter.hex") const { return folder_.file(name); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(file(name)) << text;
    return file(name);
  }
  // A filter for three elements at 1 %.
  void create(const Arguments& more = {}) {
    Arguments arguments{"filter", "create", "--elements", "3", "--fp-rate", "0.01"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back(file());
    cli_.json(arguments);
  }
  boost::json::value with_elements(const std::string& part, const Arguments& elements) {
    Arguments arguments{"filter", part, file()};
    arguments.insert(arguments.end(), elements.begin(), elements.end());
    return cli_.json(arguments);
  }
  void expect_refused(const Arguments& arguments, int exit_code, const std::string& words) {
    Arguments whole{"filter"};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    const auto result = cli_.run(whole);
    EXPECT_EQ(result.exit_code, exit_code) << words << ": " << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("error: ", 0), 0U) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }

  SpvCli cli_;
  TempDir folder_;
};

// --- design

TEST_F(FilterCommand, DesignGivesCoresShapeAndTheRates) {
  struct Case {
    const char* elements;
    const char* rate;
    std::int64_t bytes;
    std::int64_t hash_funcs;
    bool capped;
  };
  for (const auto& [elements, rate, bytes, hash_funcs, capped] :
       {Case{"3", "0.01", 3, 5, false}, Case{"1", "0.5", 1, 5, false}, Case{"20000", "0.001", 35943, 9, false},
        Case{"20100", "0.001", 36000, 9, true}, Case{"10000000", "1e-9", 36000, 1, true},
        Case{"1", "1e-20", 11, 50, true}}) {
    const auto document = cli_.json({"filter", "design", "--elements", elements, "--fp-rate", rate});
    EXPECT_EQ(document.at("elements").to_number<std::int64_t>(), std::stoll(elements));
    EXPECT_DOUBLE_EQ(document.at("fp_target").as_double(), std::stod(rate));
    EXPECT_EQ(document.at("bytes").as_int64(), bytes) << elements << " at " << rate;
    EXPECT_EQ(document.at("bits").as_int64(), 8 * bytes);
    EXPECT_EQ(document.at("hash_funcs").as_int64(), hash_funcs) << elements << " at " << rate;
    EXPECT_EQ(document.at("capped").as_bool(), capped) << elements << " at " << rate;
    const bip37::FilterShape shape{static_cast<std::size_t>(bytes), static_cast<std::uint32_t>(hash_funcs), capped};
    const auto count = static_cast<std::size_t>(std::stoull(elements));
    const auto rate_of = [&](const char* field) { return document.at(field).to_number<double>(); };
    EXPECT_DOUBLE_EQ(rate_of("fp_expected"), bip37::expected_fp_rate(shape, count));
    EXPECT_DOUBLE_EQ(rate_of("fp_at_2x"), bip37::expected_fp_rate(shape, 2 * count));
    EXPECT_DOUBLE_EQ(rate_of("fp_at_4x"), bip37::expected_fp_rate(shape, 4 * count));
  }
}

TEST_F(FilterCommand, DesignHasTheFieldsOfTheContract) {
  const std::set<std::string> expected{"elements",    "fp_target", "bytes",    "bits",  "hash_funcs",
                                       "fp_expected", "fp_at_2x",  "fp_at_4x", "capped"};
  EXPECT_EQ(keys(cli_.json({"filter", "design", "--elements", "100", "--fp-rate", "0.01"})), expected);
}

TEST_F(FilterCommand, DesignTellsPeopleOfTheCaps) {
  const auto result = cli_.run({"filter", "design", "--elements", "100000", "--fp-rate", "0.0001"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("capped"), std::string::npos) << result.out;
  const auto fits = cli_.run({"filter", "design", "--elements", "100", "--fp-rate", "0.0001"});
  EXPECT_EQ(fits.out.find("capped"), std::string::npos) << fits.out;
}

TEST_F(FilterCommand, RefusesPlansThatCannotBe) {
  const auto refuse = [this](const std::string& elements, const std::string& rate, const std::string& words) {
    for (const char* part : {"design", "measure"}) {
      expect_refused({part, "--elements", elements, "--fp-rate", rate}, 2, words);
    }
    expect_refused({"create", "--elements", elements, "--fp-rate", rate, file()}, 2, words);
    EXPECT_FALSE(fs::exists(file()));
  };
  for (const char* elements : {"0", "-1", "10000001", "1.5", "many", "", "18446744073709551616"}) {
    refuse(elements, "0.01", "--elements");
  }
  for (const char* rate : {"0", "1", "-0.1", "2", "nan", "inf", "low", "", "1e-400"}) refuse("10", rate, "--fp-rate");
  expect_refused({"design", "--elements", "10"}, 2, "--fp-rate");
  expect_refused({"design", "--fp-rate", "0.1"}, 2, "--elements");
}

// --- create, add, exists

TEST_F(FilterCommand, MakesCoresFilterByteForByte) {
  struct Case {
    const char* tweak;
    const char* flags;
    const char* payload;
  };
  for (const auto& [tweak, flags, payload] :
       {Case{"0", "all", "03614e9b050000000000000001"}, Case{"2147483649", "all", "03ce4299050000000100008001"},
        Case{"0", "none", "03614e9b050000000000000000"}, Case{"0", "p2pubkey", "03614e9b050000000000000002"}}) {
    create({"--tweak", tweak, "--flags", flags});
    for (const auto& element : kElements) with_elements("add", {element});
    EXPECT_EQ(read_text(file()), std::string(payload) + "\n");
    fs::remove(file());
  }
}

TEST_F(FilterCommand, CreateSaysWhatItMade) {
  const auto made = cli_.json({"filter", "create", "--elements", "3", "--fp-rate", "0.01", file()});
  EXPECT_EQ(made.at("file").as_string(), file());
  EXPECT_EQ(made.at("bytes").as_int64(), 3);
  EXPECT_EQ(made.at("hash_funcs").as_int64(), 5);
  EXPECT_EQ(made.at("tweak").as_int64(), 0);
  EXPECT_EQ(made.at("flags").as_int64(), 1);
  EXPECT_FALSE(made.at("capped").as_bool());
  EXPECT_EQ(read_text(file()), "03000000050000000000000001\n");
}

TEST_F(FilterCommand, KeepsFilesForTheirOwnerAlone) {
  const auto mode = [this] { return fs::status(file()).permissions(); };
  create();
  EXPECT_EQ(mode(), fs::perms::owner_read | fs::perms::owner_write);
  fs::permissions(file(), fs::perms::all);
  with_elements("add", {"00"});
  EXPECT_EQ(mode(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FilterCommand, CreateOverwritesNothing) {
  write("filter.hex", "mine");
  expect_refused({"create", "--elements", "3", "--fp-rate", "0.01", file()}, 1, "exists");
  EXPECT_EQ(read_text(file()), "mine");
}

TEST_F(FilterCommand, AddLeavesNothingButTheFilter) {
  create();
  const auto added = with_elements("add", kElements);
  EXPECT_EQ(added.at("added").as_int64(), 3);
  EXPECT_DOUBLE_EQ(added.at("fill_ratio").to_number<double>(), 12.0 / 24);
  EXPECT_DOUBLE_EQ(added.at("fp_now").to_number<double>(), std::pow(0.5, 5));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(FilterCommand, AddFollowsALink) {
  create();
  fs::create_symlink(file(), file("link"));
  cli_.json({"filter", "add", file("link"), kElements[0]});
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(with_elements("exists", {kElements[0]}), boost::json::parse(R"({"results":[true]})"));
}

TEST_F(FilterCommand, ExistsAnswersInTheOrderOfTheQuestions) {
  create();
  with_elements("add", kElements);
  EXPECT_EQ(with_elements("exists", {kElements[2], kForeign, kElements[0]}),
            boost::json::parse(R"({"results":[true,false,true]})"));
  const auto result = cli_.run({"filter", "exists", file(), kElements[1], kForeign});
  EXPECT_EQ(result.out, "matches " + kElements[1] + "\nno      " + kForeign + "\n");
}

TEST_F(FilterCommand, TakesElementsUpToTheLimitOfBip37) {
  create();
  with_elements("add", {std::string(2 * 520, 'a')});
  expect_refused({"add", file(), std::string(2 * 521, 'a')}, 2, "521 bytes");
  expect_refused({"exists", file(), std::string(2 * 521, 'a')}, 2, "521 bytes");
}

TEST_F(FilterCommand, RefusesElementsThatAreNotHexAndAddsNone) {
  create();
  const auto before = read_text(file());
  for (const char* element : {"abc", "0x11", "zz", "1 ", "é"}) {
    expect_refused({"add", file(), kElements[0], element}, 2, "element 2");
    expect_refused({"exists", file(), kElements[0], element}, 2, "element 2");
  }
  expect_refused({"add", file()}, 2, "HEX");
  EXPECT_EQ(read_text(file()), before);
}

TEST_F(FilterCommand, RefusesFilesThatHoldNoFilter) {
  struct Case {
    std::string text;
    const char* words;
  };
  const std::string large(2 * 36'001, '0');
  for (const auto& [text, words] :
       {Case{"", "malformed"}, Case{"not hex", "not hex"}, Case{"03614e9b05000000000000000", "not hex"},
        Case{"03614e9b0500000000000000", "malformed"}, Case{"03614e9b05000000000000000100", "malformed"},
        Case{"03614e9b050000000000000003", "malformed"}, Case{"ff", "malformed"},
        Case{"03614e9b330000000000000001", "50 hash functions"},
        Case{"fda18c" + large + "010000000000000001", "36,000"}, Case{std::string(1'000'000, '0'), "too large"}}) {
    write("bad.hex", text);
    expect_refused({"add", file("bad.hex"), "00"}, 1, words);
    expect_refused({"exists", file("bad.hex"), "00"}, 1, words);
    expect_refused({"inspect", file("bad.hex")}, 1, words);
    EXPECT_EQ(read_text(file("bad.hex")), text);
  }
  expect_refused({"inspect", file("missing.hex")}, 1, "missing.hex");
  expect_refused({"inspect", folder_.path().string()}, 1, "cannot read");
  expect_refused({"inspect", "/dev/zero"}, 1, "too large");
  expect_refused({"create", "--elements", "3", "--fp-rate", "0.01", file("no/such/folder")}, 1, "cannot create");
}

TEST_F(FilterCommand, RefusesBadOptions) {
  expect_refused({}, 2, "design, create");
  expect_refused({"draw"}, 2, "draw");
  expect_refused({"create", "--elements", "3", "--fp-rate", "0.01", "--tweak", "4294967296", file()}, 2, "--tweak");
  expect_refused({"create", "--elements", "3", "--fp-rate", "0.01", "--tweak", "-1", file()}, 2, "--tweak");
  expect_refused({"create", "--elements", "3", "--fp-rate", "0.01", "--flags", "some", file()}, 2, "--flags");
  expect_refused({"create", "--elements", "3", "--fp-rate", "0.01"}, 2, "FILE");
  expect_refused({"measure", "--elements", "3", "--fp-rate", "0.01", "--probes", "0"}, 2, "--probes");
  expect_refused({"measure", "--elements", "3", "--fp-rate", "0.01", "--probes", "1000000001"}, 2, "--probes");
  expect_refused({"measure", "--elements", "3", "--fp-rate", "0.01", "--seed", "-1"}, 2, "--seed");
}

// --- inspect

TEST_F(FilterCommand, InspectTellsWhatTheBitsSay) {
  create();
  with_elements("add", kElements);
  const auto document = cli_.json({"filter", "inspect", file()});
  const auto number = [&](const char* field) { return document.at(field).to_number<double>(); };
  EXPECT_EQ(number("bits"), 24);
  EXPECT_EQ(number("hash_funcs"), 5);
  EXPECT_EQ(number("flags"), 1);
  EXPECT_DOUBLE_EQ(number("fill_ratio"), 0.5);
  EXPECT_DOUBLE_EQ(number("estimated_elements"), 24 * std::log(2) / 5);
  EXPECT_DOUBLE_EQ(number("fp_now"), 1.0 / 32);
  EXPECT_EQ(number("addresses_on_chain"), 1e9);
  EXPECT_EQ(number("addresses_matching"), 1e9 / 32);
  EXPECT_EQ(number("addresses_matching_two_tweaks"), std::llround(1e9 / 1024));
  EXPECT_NEAR(number("share_in_filter"), 24 * std::log(2) / 5 / (1e9 / 32), 1e-12);
}

TEST_F(FilterCommand, InspectKnowsFiltersThatMatchEverything) {
  // No bytes, all bits set, no functions.
  for (const char* payload : {"00010000000000000000", "01ff010000000000000000", "0100000000000000000000"}) {
    const std::string path = write("all.hex", payload);
    const auto document = cli_.json({"filter", "inspect", path});
    EXPECT_EQ(document.at("fp_now").to_number<double>(), 1) << payload;
    EXPECT_TRUE(document.at("estimated_elements").is_null()) << payload;
    EXPECT_TRUE(document.at("share_in_filter").is_null()) << payload;
    EXPECT_EQ(cli_.run({"filter", "inspect", path}).exit_code, 0) << payload;
  }
}

TEST_F(FilterCommand, InspectTellsPeopleWhatAPeerLearns) {
  create();
  with_elements("add", kElements);
  const auto result = cli_.run({"filter", "inspect", file()});
  EXPECT_NE(result.out.find("about 31250000 match"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("another tweak"), std::string::npos) << result.out;
}

TEST_F(FilterCommand, InspectLooksAtAWalletsFilter) {
  cli_.json({"create", "--wallet", "mine"});
  const auto document = cli_.json({"filter", "inspect", "--wallet", "mine"});
  EXPECT_EQ(document.at("wallet").as_string(), "mine");
  EXPECT_GT(document.at("elements").to_number<int>(), 0);
  const double target = document.at("fp_target").to_number<double>();
  EXPECT_GT(document.at("fp_now").to_number<double>(), 0.5 * target);
  EXPECT_LT(document.at("fp_now").to_number<double>(), 2 * target);
  const auto status = cli_.json({"status", "--wallet", "mine"});
  EXPECT_EQ(document.at("tweak"), status.at("filter").at("tweak"));
  EXPECT_EQ(document.at("bytes"), status.at("filter").at("bytes"));
  EXPECT_EQ(cli_.json({"filter", "inspect", "--wallet", "mine"}), document) << "the same bytes in every run";
  expect_refused({"inspect", "--wallet", "other"}, 4, "other");
}

// --- measure

TEST_F(FilterCommand, MeasureLandsWithinThreeSigma) {
  const auto document =
      cli_.json({"filter", "measure", "--elements", "20000", "--fp-rate", "0.001", "--probes", "1000000"});
  const auto number = [&](const char* field) { return document.at(field).to_number<double>(); };
  EXPECT_EQ(number("probes"), 1e6);
  EXPECT_DOUBLE_EQ(number("fp_measured"), number("false_positives") / 1e6);
  EXPECT_DOUBLE_EQ(number("fp_expected"), bip37::expected_fp_rate(bip37::design_filter(20'000, 0.001), 20'000));
  EXPECT_LT(std::abs(number("fp_measured") - number("fp_expected")), 3 * std::sqrt(number("fp_expected") / 1e6));
}

TEST_F(FilterCommand, MeasureRepeatsItselfForASeed) {
  const auto hits = [this](const char* seed) {
    return cli_
        .json({"filter", "measure", "--elements", "100", "--fp-rate", "0.1", "--probes", "20000", "--seed", seed})
        .at("false_positives");
  };
  EXPECT_EQ(hits("5"), hits("5"));
  EXPECT_NE(hits("5"), hits("6"));
}

TEST_F(FilterCommand, MeasureDraws) {
  const Arguments plan{"filter", "measure", "--elements", "100", "--fp-rate", "0.05", "--probes", "2000", "--plot"};
  const auto result = cli_.run(plan);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("o measured"), std::string::npos) << result.out;
  EXPECT_EQ(cli_.json(plan).at("curve").as_array().size(), 16U) << "programs get the points";
  cli_.json(
      {"filter", "measure", "--elements", "100", "--fp-rate", "0.05", "--probes", "2000", "--svg", file("a.svg")});
  EXPECT_EQ(read_text(file("a.svg")).rfind("<svg", 0), 0U);
  expect_refused({"measure", "--elements", "9", "--fp-rate", "0.5", "--probes", "9", "--svg", file("no/a.svg")}, 1,
                 "no/a.svg");
}

TEST_F(FilterCommand, HelpIsThereForEachPart) {
  for (const char* part : {"design", "create", "add", "exists", "union", "intersect", "inspect", "measure"}) {
    const auto result = cli_.run({"filter", part, "--help"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  }
}

}  // namespace
}  // namespace spv::test
