// MetricParser: a strict reader of Prometheus' text format (0.0.4), written from its description and what promtool
// complains about.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace spv::test {

struct MetricFamily {
  std::string help;
  std::string type;
  std::map<std::string, double> samples;  // by name and labels as they stand
};

class MetricParser {
 public:
  explicit MetricParser(const std::string& text) {
    if (text.empty() || text.back() != '\n') complain("the last line has no end");
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) take(line);
    for (const auto& [name, family] : families) check(name, family);
  }

  [[nodiscard]] double value(const std::string& sample) const {
    for (const auto& [name, family] : families) {
      if (const auto found = family.samples.find(sample); found != family.samples.end()) return found->second;
    }
    return std::nan("");
  }

  std::map<std::string, MetricFamily> families;
  std::vector<std::string> problems;

 private:
  void complain(const std::string& what) { problems.push_back(what); }

  void take(const std::string& line) {
    static const std::regex kComment("# (HELP|TYPE) (spv_[a-z0-9_]+) (.+)");
    static const std::regex kSample(
        R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*",?)+\})? (\S+))re");
    std::smatch match;
    if (std::regex_match(line, match, kComment)) {
      take_comment(match[1], match[2], match[3]);
    } else if (std::regex_match(line, match, kSample)) {
      take_sample(match[1], match[2], match[3]);
    } else {
      complain("not a line of the format: " + line);
    }
  }
  void take_comment(const std::string& kind, const std::string& name, const std::string& text) {
    if (kind == "HELP") {
      if (families.contains(name)) complain(name + " has a second HELP");
      families[name].help = text;
      current_ = name;
      return;
    }
    if (name != current_ || !families[name].type.empty()) complain(name + ": TYPE in the wrong place");
    if (!std::set<std::string>{"counter", "gauge", "histogram"}.contains(text)) complain(name + ": unknown type");
    families[name].type = text;
  }
  void take_sample(const std::string& name, const std::string& labels, const std::string& text) {
    if (current_.empty()) return complain(name + " has neither HELP nor TYPE");
    auto& family = families[current_];
    const std::string suffix = name.starts_with(current_) ? name.substr(current_.size()) : "?";
    const bool fits =
        family.type == "histogram" ? suffix == "_bucket" || suffix == "_sum" || suffix == "_count" : suffix.empty();
    if (!fits) complain(name + " does not belong to " + current_);
    if (labels.find(",}") != std::string::npos) complain(name + ": a comma too many");
    if (!family.samples.emplace(name + labels, number(text)).second) complain(name + labels + " is there twice");
  }
  double number(const std::string& text) {
    if (text == "+Inf") return INFINITY;
    if (text == "NaN") return NAN;
    std::size_t used = 0;
    const double value = std::stod(text, &used);
    if (used != text.size()) complain("not a number: " + text);
    return value;
  }
  void check(const std::string& name, const MetricFamily& family) {
    if (family.type.empty()) complain(name + " has no TYPE");
    if (!family.help.ends_with('.')) complain(name + ": the help is not a sentence");
    if ((family.type == "counter") != name.ends_with("_total"))
      complain(name + ": counters end in _total, others do not");
    if (std::regex_search(name, std::regex("_(milliseconds|kilobytes|percent|micros|ms|kb)(_|$)"))) {
      complain(name + ": not a base unit");
    }
    if (family.type == "counter") {
      for (const auto& [sample, value] : family.samples) {
        if (value < 0 || std::isnan(value)) complain(sample + " is not a count");
      }
    }
    if (family.type == "histogram") check_histogram(name, family);
  }
  /// The ranges of each set of labels grow, and the last one has all.
  void check_histogram(const std::string& name, const MetricFamily& family) {
    static const std::regex kLe("(,?)le=\"([^\"]*)\"");
    std::map<std::string, std::map<double, double>> ranges;
    for (const auto& [sample, value] : family.samples) {
      if (!sample.starts_with(name + "_bucket")) continue;
      std::smatch le;
      if (!std::regex_search(sample, le, kLe)) {
        complain(sample + " has no le");
        continue;
      }
      auto rest = std::regex_replace(sample, kLe, "").substr(name.size() + 7);
      if (rest == "{}") rest.clear();
      ranges[rest][number(le[2])] = value;
    }
    for (const auto& [labels, counts] : ranges) {
      double last = 0;
      for (const auto& [bound, count] : counts) {
        if (count < last) complain(name + labels + ": the counts go down");
        last = count;
      }
      if (!std::isinf(counts.rbegin()->first)) complain(name + labels + " has no +Inf");
      if (!family.samples.contains(name + "_sum" + labels)) complain(name + labels + " has no sum");
      const auto all = family.samples.find(name + "_count" + labels);
      if (all == family.samples.end() || all->second != last)
        complain(name + labels + ": the count is not that of +Inf");
    }
  }

  std::string current_;
};

}  // namespace spv::test
