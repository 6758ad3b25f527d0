// A filter from the wire: round trip and limits; what goes in is in; bits, membership and matching of transactions as a
// second implementation has them.
#include <algorithm>

#include "bip37/matcher.h"
#include "tests/differential/reference_bloom.h"
#include "tests/fuzz/payload.h"

namespace {

using namespace spv;

void ensure_same(const bip37::BloomFilter& ours, const reference::Bloom& theirs) {
  const auto bytes = theirs.bytes();
  util::ensure(std::ranges::equal(ours.bits(), bytes), "other bits are set");
}

// How a filterload payload would read if it were right.
reference::Bloom copy_of(const bip37::BloomFilter& filter) {
  reference::Bloom out{.bits = {},
                       .hash_funcs = filter.hash_funcs(),
                       .tweak = filter.tweak(),
                       .flags = static_cast<unsigned>(filter.flags())};
  for (const std::uint8_t byte : filter.bits()) {
    for (unsigned bit = 0; bit < 8; ++bit) out.bits.push_back((byte >> bit & 1U) != 0);
  }
  return out;
}

}  // namespace

SPV_FUZZ_TARGET(bloom, input) {
  fuzz::Input rest(input);
  const auto payload = rest.take(rest.word());
  const auto message = fuzz::check_payload("filterload", payload);
  const auto parsed = bip37::BloomFilter::parse(payload);
  util::ensure(message.has_value() == parsed.has_value(), "the message and the filter differ");
  if (!parsed) return;
  auto filter = *parsed;
  util::ensure(filter.bits().size() <= bip37::kMaxFilterBytes, "a filter above the limit of its size");
  util::ensure(filter.hash_funcs() <= bip37::kMaxHashFunctions, "a filter above the limit of its functions");
  auto second = copy_of(filter);
  for (int steps = 0; !rest.empty() && steps < 32; ++steps) {
    const std::uint8_t kind = rest.byte();
    const auto element = rest.piece();
    if (kind % 4 == 0) {
      const auto tx = chain::Transaction::parse(element);
      if (!tx) continue;
      util::ensure(bip37::match_and_update(*tx, tx->txid(), filter) == second.match_and_update(*tx), "relevance");
    } else if (kind % 4 == 1) {
      util::ensure(filter.contains(element) == second.contains(element), "membership");
    } else {
      filter.insert(element);
      second.insert(element);
      util::ensure(filter.contains(element), "what was put in is not in");
    }
    ensure_same(filter, second);
  }
  const auto both = bip37::BloomFilter::union_of(filter, *parsed);
  util::ensure(both && *both == filter, "a filter holds all that it held before");
  util::ensure(filter.fp_rate() >= 0 && filter.fp_rate() <= 1, "a rate is a share");
}
