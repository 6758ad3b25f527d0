// The options of `spv filter` and its subcommands.
#include <limits>

#include "cli/error.h"
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

template <typename Options>
void add_plan(CLI::App* app, Options& options) {
  app->add_option("--elements", options.elements, "how many elements the filter is for")
      ->required()
      ->check(whole_number(1, 10'000'000));
  app->add_option("--fp-rate", options.fp_rate, "the false positive rate to aim at")
      ->required()
      ->type_name("RATE")
      ->check(probability());
}

void add_filter_create(CommandTree& tree) {
  auto [app, create] = tree.add<FilterCreateOptions>("filter create", "make a file with an empty filter");
  add_plan(app, create);
  app->add_option("--tweak", create.tweak, "varies the hash functions")
      ->check(whole_number(0, 0xFFFF'FFFF))
      ->capture_default_str();
  app->add_option("--flags", create.flags, "what a node adds on a match: none, all or p2pubkey")
      ->check(CLI::IsMember({"none", "all", "p2pubkey"}))
      ->capture_default_str();
  app->add_option("FILE", create.file, "the file to make")->required();
}

void add_elements(CommandTree& tree) {
  auto [add_app, add] = tree.add<FilterAddOptions>("filter add", "add elements to a filter");
  add_app->add_option("FILE", add.file, "the filter")->required();
  add_app->add_option("HEX", add.elements, "the elements, such as key hashes")->required();
  auto [exists_app, exists] = tree.add<FilterExistsOptions>("filter exists", "tell which elements match a filter");
  exists_app->add_option("FILE", exists.file, "the filter")->required();
  exists_app->add_option("HEX", exists.elements, "the elements")->required();
}

void add_measure(CommandTree& tree) {
  auto [app, measure] =
      tree.add<FilterMeasureOptions>("filter measure", "fill a filter at random and count false matches");
  add_plan(app, measure);
  app->add_option("--probes", measure.probes, "how many other elements to ask for")
      ->check(whole_number(1, 1'000'000'000))
      ->capture_default_str();
  app->add_option("--seed", measure.seed, "the same seed gives the same result")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
  app->add_flag("--plot", measure.plot, "draw the rate against the fill");
  app->add_option("--svg", measure.svg, "write that drawing to a file")->type_name("FILE");
}

}  // namespace

void add_filter_commands(CommandTree& tree) {
  const auto lacking = []() -> Command {
    throw UsageError("filter needs one of design, create, add, exists, inspect or measure (see spv filter --help)");
  };
  tree.add_made("filter", "design, make, fill, inspect and measure BIP37 filters", lacking)->require_subcommand(0, 1);
  auto [design_app, design] = tree.add<FilterDesignOptions>("filter design", "size and rates for a plan");
  add_plan(design_app, design);
  add_filter_create(tree);
  add_elements(tree);
  auto [inspect_app, inspect] =
      tree.add<FilterInspectOptions>("filter inspect", "what a filter tells the peer that holds it");
  inspect_app->add_option("FILE", inspect.file, "the filter; without it, that of the wallet");
  add_measure(tree);
}

}  // namespace spv::cli
