// What was asked for of `spv filter` and its subcommands, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spv::cli {

struct FilterDesignOptions {
  std::size_t elements = 0;
  double fp_rate = 0;
  std::optional<std::string> plot;  // an SVG file
};
struct FilterCreateOptions {
  std::size_t elements = 0;
  double fp_rate = 0;
  std::uint32_t tweak = 0;
  std::string flags = "all";
  std::string file;
};
/// A filter's file, and elements as they are written: hex or text; "-": lines of stdin.
struct FilterElements {
  std::string file;
  std::vector<std::string> elements;
  bool text = false;
};
struct FilterAddOptions : FilterElements {};
struct FilterExistsOptions : FilterElements {};
/// The files of two filters, and of what becomes of them.
struct FilterPair {
  std::string first;
  std::string second;
  std::string out;
};
struct FilterUnionOptions : FilterPair {};
struct FilterIntersectOptions : FilterPair {};
struct FilterInspectOptions {
  std::optional<std::string> file;  // none: the wallet's
};
struct FilterMeasureOptions {
  std::size_t elements = 0;
  double fp_rate = 0;
  std::uint64_t probes = 1'000'000;
  std::uint64_t seed = 1;
  bool plot = false;
  std::optional<std::string> svg;
};

}  // namespace spv::cli
