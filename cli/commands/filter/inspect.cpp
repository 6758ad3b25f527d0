// `spv filter inspect`: what a filter holds, and what a peer that holds it learns
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/filter/filter_file.h"
#include "cli/commands/filter/shape_text.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "report/filter.h"
#include "report/values.h"

namespace spv::cli {
namespace {

/// Scripts ever used on the main chain, to the order of magnitude: the crowd that the filter's owner hides in.
constexpr double kScriptsOnChain = 1e9;

/// What a peer learns by testing every script it knows against the filter.
struct PeerView {
  double strangers = 0;         // scripts that match and are not in it
  double strangers_of_two = 0;  // those left if it also sees the same elements under another tweak
  std::optional<double> share;  // of all that matches, what is in it; none where the count of elements is unknown
};

PeerView peer_view(const bip37::BloomFilter& filter) {
  PeerView view;
  view.strangers = kScriptsOnChain * filter.fp_rate();
  view.strangers_of_two = view.strangers * filter.fp_rate();
  const double inside = filter.estimated_elements();
  if (std::isfinite(inside) && inside + view.strangers > 0) view.share = inside / (inside + view.strangers);
  return view;
}

// JSON has no infinity.
boost::json::value finite_or_null(double value) {
  return std::isfinite(value) ? boost::json::value(value) : boost::json::value(nullptr);
}

boost::json::object to_json(const bip37::BloomFilter& filter) {
  const PeerView view = peer_view(filter);
  return {{"bytes", filter.bits().size()},
          {"bits", filter.bits().size() * 8},
          {"hash_funcs", filter.hash_funcs()},
          {"tweak", filter.tweak()},
          {"flags", static_cast<int>(filter.flags())},
          {"fill_ratio", filter.fill_ratio()},
          {"estimated_elements", finite_or_null(filter.estimated_elements())},
          {"fp_now", filter.fp_rate()},
          {"addresses_on_chain", static_cast<std::uint64_t>(kScriptsOnChain)},
          {"addresses_matching", std::llround(view.strangers)},
          {"addresses_matching_two_tweaks", std::llround(view.strangers_of_two)},
          {"share_in_filter", report::or_null(view.share)}};
}

std::string_view flags_text(bip37::UpdateFlags flags) {
  switch (flags) {
    case bip37::UpdateFlags::None:
      return "a node adds nothing";
    case bip37::UpdateFlags::All:
      return "a node adds the outpoint of every matching output";
    case bip37::UpdateFlags::P2PubkeyOnly:
      return "a node adds the outpoints of matching pay-to-pubkey outputs";
  }
  return "unknown";
}

void print_filter(const bip37::BloomFilter& filter) {
  const double inside = filter.estimated_elements();
  print_line("size         " + shape_text({filter.bits().size(), filter.hash_funcs(), false}));
  print_line(fmt::format("tweak        {}", filter.tweak()));
  print_line(fmt::format("flags        {}: {}", flags_name(filter.flags()), flags_text(filter.flags())));
  print_line(fmt::format("fill         {:.1f}% of the bits set", 100 * filter.fill_ratio()));
  print_line(std::isfinite(inside) ? fmt::format("elements     about {:.0f}, estimated from the fill", inside)
                                   : std::string("elements     unknown: the filter matches everything"));
  print_line(fmt::format("false pos.   {:.4g}", filter.fp_rate()));
}

void print_contents() {
  print_line("");
  print_line("What it contains:");
  print_line("- Every element that was added; other data matches at the false positive rate.");
  print_line("- A union: every element of both filters.");
  print_line("- An intersection: at most the elements that both filters contain; an element");
  print_line("  of one of them still matches at the false positive rate of the other.");
}

void print_peer_view(const bip37::BloomFilter& filter) {
  const PeerView view = peer_view(filter);
  print_line("");
  print_line("What it tells a peer:");
  print_line(fmt::format("- Of about {:.0e} scripts used on chain, about {:.0f} match by chance.", kScriptsOnChain,
                         view.strangers));
  if (view.share) {
    print_line(
        fmt::format("- A script that matches is in the filter with a probability of {:.4g}%.", 100 * *view.share));
  }
  print_line(fmt::format("- With a second filter of the same elements and another tweak, about {:.2g} of",
                         view.strangers_of_two));
  print_line("  the chance matches remain. That is why a wallet keeps its tweak.");
}

ExitCode inspect_file(const CommonOptions& common, const std::string& path) {
  const auto filter = read_filter(path);
  if (common.json) {
    auto document = to_json(filter);
    document.emplace("file", path);
    print_json(document);
    return ExitCode::Done;
  }
  print_filter(filter);
  print_contents();
  print_peer_view(filter);
  return ExitCode::Done;
}

ExitCode inspect_wallet(const CommonOptions& common) {
  OpenWallet open = open_wallet(common, Access::Read);
  const auto plan = report::filter_of(open.wallet);
  if (common.json) {
    auto document = to_json(plan.filter);
    document.emplace("wallet", common.wallet);
    document.emplace("elements", plan.elements);
    document.emplace("decoys", plan.decoys);
    document.emplace("fp_target", plan.fp_target);
    document.emplace("capped", plan.capped);
    print_json(document);
    return ExitCode::Done;
  }
  print_line(fmt::format("wallet       {}: {} elements and {} decoys", common.wallet, plan.elements, plan.decoys));
  print_filter(plan.filter);
  if (plan.capped)
    print_line(fmt::format("capped       the target of {:g} needs more than 36,000 bytes", plan.fp_target));
  print_peer_view(plan.filter);
  return ExitCode::Done;
}

}  // namespace

ExitCode run(const CommonOptions& common, const FilterInspectOptions& options) {
  return options.file ? inspect_file(common, *options.file) : inspect_wallet(common);
}

}  // namespace spv::cli
