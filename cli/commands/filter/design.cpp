// `spv filter design`, `create`, `add` and `exists`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/output/report.h"
#include "util/hex.h"

namespace spv::cli {
namespace {

// Checked before the file is touched: all elements go in or none.
std::vector<util::Bytes> parse_elements(const std::vector<std::string>& texts) {
  std::vector<util::Bytes> elements;
  for (const auto& text : texts) {
    auto element = util::from_hex(text);
    if (!element || element->empty()) {
      throw UsageError(fmt::format("element {} is not hex of whole bytes: '{:.40}'", elements.size() + 1, text));
    }
    if (element->size() > bip37::kMaxElementBytes) {
      throw UsageError(fmt::format("element {} has {} bytes; BIP37 allows {}", elements.size() + 1, element->size(),
                                   bip37::kMaxElementBytes));
    }
    elements.push_back(std::move(*element));
  }
  return elements;
}

std::string describe(const bip37::FilterShape& shape) {
  return fmt::format("{} bytes ({} bits), {} hash {}", shape.bytes, shape.bytes * 8, shape.hash_funcs,
                     shape.hash_funcs == 1 ? "function" : "functions");
}

std::string one_in(double rate) { return fmt::format("{:.4g} (1 in {:.0f})", rate, 1 / rate); }

void print_capped(const bip37::FilterShape& shape, double fp_target, double fp_expected) {
  if (!shape.capped) return;
  print_line(fmt::format("capped: BIP37 allows {} bytes and {} functions, so {:.4g} is reached instead of {:.4g}",
                         bip37::kMaxFilterBytes, bip37::kMaxHashFunctions, fp_expected, fp_target));
}

bip37::UpdateFlags flags_of(const std::string& name) {
  if (name == "none") return bip37::UpdateFlags::None;
  return name == "all" ? bip37::UpdateFlags::All : bip37::UpdateFlags::P2PubkeyOnly;
}

}  // namespace

ExitCode run(const CommonOptions& common, const FilterDesignOptions& options) {
  const auto shape = bip37::design_filter(options.elements, options.fp_rate);
  const auto rate_at = [&](std::size_t load) { return bip37::expected_fp_rate(shape, load * options.elements); };
  if (common.json) {
    print_json({{"elements", options.elements},
                {"fp_target", options.fp_rate},
                {"bytes", shape.bytes},
                {"bits", shape.bytes * 8},
                {"hash_funcs", shape.hash_funcs},
                {"fp_expected", rate_at(1)},
                {"fp_at_2x", rate_at(2)},
                {"fp_at_4x", rate_at(4)},
                {"capped", shape.capped}});
    return ExitCode::Done;
  }
  print_line("size              " + describe(shape));
  print_line("false positives   " + one_in(rate_at(1)));
  print_line("with 2x elements  " + one_in(rate_at(2)));
  print_line("with 4x elements  " + one_in(rate_at(4)));
  print_capped(shape, options.fp_rate, rate_at(1));
  return ExitCode::Done;
}

ExitCode run(const CommonOptions& common, const FilterCreateOptions& options) {
  const auto shape = bip37::design_filter(options.elements, options.fp_rate);
  const double expected = bip37::expected_fp_rate(shape, options.elements);
  const auto flags = flags_of(options.flags);
  create_filter_file(options.file, bip37::BloomFilter(shape, options.tweak, flags));
  if (common.json) {
    print_json({{"file", options.file},
                {"elements", options.elements},
                {"fp_target", options.fp_rate},
                {"bytes", shape.bytes},
                {"bits", shape.bytes * 8},
                {"hash_funcs", shape.hash_funcs},
                {"tweak", options.tweak},
                {"flags", static_cast<int>(flags)},
                {"fp_expected", expected},
                {"capped", shape.capped}});
    return ExitCode::Done;
  }
  print_line(fmt::format("{}: empty filter of {}", options.file, describe(shape)));
  print_capped(shape, options.fp_rate, expected);
  return ExitCode::Done;
}

ExitCode run(const CommonOptions& common, const FilterAddOptions& options) {
  const auto elements = parse_elements(options.elements);
  auto filter = read_filter(options.file);
  for (const auto& element : elements) filter.insert(element);
  replace_filter_file(options.file, filter);
  if (common.json) {
    print_json({{"file", options.file},
                {"added", elements.size()},
                {"fill_ratio", filter.fill_ratio()},
                {"fp_now", filter.fp_rate()}});
    return ExitCode::Done;
  }
  print_line(fmt::format("{}: {} added; {:.1f} % of the bits are set, false positives now {:.4g}", options.file,
                         elements.size(), 100 * filter.fill_ratio(), filter.fp_rate()));
  return ExitCode::Done;
}

ExitCode run(const CommonOptions& common, const FilterExistsOptions& options) {
  const auto elements = parse_elements(options.elements);
  const auto filter = read_filter(options.file);
  boost::json::array results;
  for (const auto& element : elements) results.emplace_back(filter.contains(element));
  if (common.json) {
    print_json({{"results", std::move(results)}});
    return ExitCode::Done;
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    print_line(fmt::format("{:<7} {}", results[i].as_bool() ? "matches" : "no", options.elements[i]));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
