// The options of `spv filter` and its subcommands.
#include <limits>

#include "cli/error.h"
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

template <typename Options>
void add_plan(CLI::App* app, Options& options) {
  app->add_option("--elements", options.elements, "number of elements to plan for")
      ->required()
      ->check(whole_number(1, 10'000'000));
  app->add_option("--fp-rate", options.fp_rate, "target false positive rate")
      ->required()
      ->type_name("RATE")
      ->check(probability());
}

void add_filter_create(CommandTree& tree) {
  auto [app, create] = tree.add<FilterCreateOptions>("filter create", "create a file with an empty filter");
  add_plan(app, create);
  app->add_option("--tweak", create.tweak, "random value added to the seed of the hash functions")
      ->check(whole_number(0, 0xFFFF'FFFF))
      ->capture_default_str();
  app->add_option("--flags", create.flags, "outpoints that a node adds to the filter on a match")
      ->check(one_of({"none", "all", "p2pubkey"}))
      ->capture_default_str();
  app->add_option("FILE", create.file, "file to create")->required();
}

void add_element_arguments(CLI::App* app, FilterElements& options) {
  app->add_option("FILE", options.file, "filter file")->required();
  app->add_option("HEX", options.elements, "elements, such as key hashes; - reads them from stdin, one per line")
      ->required();
  app->add_flag("--text", options.text, "elements are text, not hex");
}

void add_elements(CommandTree& tree) {
  auto [add_app, add] = tree.add<FilterAddOptions>("filter add", "add elements to a filter");
  add_element_arguments(add_app, add);
  auto [exists_app, exists] = tree.add<FilterExistsOptions>("filter exists", "test which elements match a filter");
  add_element_arguments(exists_app, exists);
}

void add_pair_arguments(CLI::App* app, FilterPair& options) {
  app->add_option("FILE_A", options.first, "filter file")->required();
  app->add_option("FILE_B", options.second, "filter file of the same size, hash functions, tweak and flags")
      ->required();
  app->add_option("--out", options.out, "file to create")->type_name("FILE")->required();
}

void add_combinations(CommandTree& tree) {
  auto [union_app, both] =
      tree.add<FilterUnionOptions>("filter union", "create a filter that matches what either of two matches");
  add_pair_arguments(union_app, both);
  auto [intersect_app, common] =
      tree.add<FilterIntersectOptions>("filter intersect", "create a filter that matches what both of two match");
  add_pair_arguments(intersect_app, common);
}

void add_measure(CommandTree& tree) {
  auto [app, measure] =
      tree.add<FilterMeasureOptions>("filter measure", "fill a filter with random elements and count false positives");
  add_plan(app, measure);
  app->add_option("--probes", measure.probes, "number of other elements to test")
      ->check(whole_number(1, 1'000'000'000))
      ->capture_default_str();
  app->add_option("--seed", measure.seed, "seed of the random elements; the same seed gives the same result")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  app->add_flag("--plot", measure.plot, "plot the false positive rate against the fill ratio");
  app->add_option("--svg", measure.svg, "write the plot to an SVG file")->type_name("FILE");
}

}  // namespace

void add_filter_commands(CommandTree& tree) {
  const auto lacking = []() -> Command {
    throw UsageError(
        "filter needs a command: design, create, add, exists, union, intersect, inspect or measure (see spv filter "
        "--help)");
  };
  tree.add_made("filter", "design, create, combine, inspect and measure BIP37 filters", lacking)
      ->require_subcommand(0, 1);
  auto [design_app, design] = tree.add<FilterDesignOptions>("filter design", "compute size and false positive rates");
  add_plan(design_app, design);
  design_app->add_option("--plot", design.plot, "plot the rate of an overfilled filter to an SVG file")
      ->type_name("FILE");
  add_filter_create(tree);
  add_elements(tree);
  add_combinations(tree);
  auto [inspect_app, inspect] =
      tree.add<FilterInspectOptions>("filter inspect", "show what a filter contains and what it reveals to a peer");
  inspect_app->add_option("FILE", inspect.file, "filter file (default: the filter of the wallet)");
  add_measure(tree);
}

}  // namespace spv::cli
