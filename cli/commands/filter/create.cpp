// `spv filter create`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/commands/filter/shape_text.h"
#include "cli/output/report.h"

namespace spv::cli {
namespace {

bip37::UpdateFlags flags_of(const std::string& name) {
  if (name == "none") return bip37::UpdateFlags::None;
  return name == "all" ? bip37::UpdateFlags::All : bip37::UpdateFlags::P2PubkeyOnly;
}

}  // namespace

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
  print_line(fmt::format("{}: empty filter of {}", options.file, shape_text(shape)));
  print_capped(shape, options.fp_rate, expected);
  return ExitCode::Done;
}

}  // namespace spv::cli
