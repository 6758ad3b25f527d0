// A compact block filter: read or refused as a second implementation does, with one coding of its elements; and what
// matches is what that finds.
#include <algorithm>

#include "bip158/gcs.h"
#include "tests/differential/reference_gcs.h"
#include "tests/fuzz/fuzz.h"

SPV_FUZZ_TARGET(gcs_match, input) {
  using namespace spv;
  bip158::Scratch scratch;
  const auto count = bip158::validate(input, scratch);
  const auto theirs = reference::decode_gcs(input);
  util::ensure(count.has_value() == theirs.has_value(), "one of two takes it for a filter");
  bip158::ScriptSet scripts;
  // A filter of few elements is matched by chance often enough.
  for (std::uint8_t i = 0; i < 40; ++i) scripts.add(util::Bytes(std::size_t{i} + 1, i));
  const chain::BlockHash block{};
  const auto matches = bip158::match_all(input, block, scripts, scratch);
  const auto any = bip158::match_any(input, block, scripts, scratch);
  util::ensure(matches.has_value() == count.has_value() && any.has_value() == count.has_value(),
               "whether it is a filter depends on what is looked for");
  if (!count) return;
  util::ensure(scratch.values == *theirs, "two decode it differently");
  util::ensure(bip158::encode_gcs(scratch.values) == util::to_bytes(input), "a filter has two codings");
  util::ensure(*any == !matches->empty(), "any and all differ");
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    const bool found = std::ranges::find(*matches, i) != matches->end();
    util::ensure(found == reference::gcs_holds(*theirs, {}, scripts[i]), "two find different scripts");
  }
}
