#include "cli/commands/filter/shape_text.h"

#include <fmt/format.h>

#include "cli/output/report.h"

namespace spv::cli {

std::string shape_text(const bip37::FilterShape& shape) {
  return fmt::format("{} bytes ({} bits), {} hash {}", shape.bytes, shape.bytes * 8, shape.hash_funcs,
                     shape.hash_funcs == 1 ? "function" : "functions");
}

std::string_view flags_name(bip37::UpdateFlags flags) {
  switch (flags) {
    case bip37::UpdateFlags::None:
      return "none";
    case bip37::UpdateFlags::All:
      return "all";
    case bip37::UpdateFlags::P2PubkeyOnly:
      return "p2pubkey";
  }
  return "unknown";
}

void print_capped(const bip37::FilterShape& shape, double fp_target, double fp_expected) {
  if (!shape.capped) return;
  print_line(
      fmt::format("capped: BIP37 allows at most {} bytes and {} hash functions; the rate is {:.4g} instead of {:.4g}",
                  bip37::kMaxFilterBytes, bip37::kMaxHashFunctions, fp_expected, fp_target));
}

}  // namespace spv::cli
