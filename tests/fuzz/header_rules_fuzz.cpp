// The rules for headers over chains made from the input, on every network, against a second implementation.
#include "chain/header_rules.h"
#include "tests/differential/reference_headers.h"
#include "tests/fuzz/fuzz.h"

SPV_FUZZ_TARGET(header_rules, input) {
  using namespace spv;
  constexpr std::array kNetworks{chain::Network::Main, chain::Network::Testnet3, chain::Network::Testnet4,
                                 chain::Network::Signet, chain::Network::Regtest};
  fuzz::Input rest(input);
  auto params = chain::params(kNetworks[rest.below(kNetworks.size())]);
  params.bip34_height = rest.byte();
  params.bip66_height = params.bip34_height + rest.byte();
  params.bip65_height = params.bip66_height + rest.byte();
  std::vector<chain::BlockHeader> headers{params.genesis};
  chain::HeaderContext context(params, 0, params.genesis);
  const auto add = [&](const chain::BlockHeader& next) {
    headers.push_back(next);
    context.advance(next);
  };
  for (int steps = 0; !rest.empty() && steps < 64 && headers.size() < 6'100; ++steps) {
    chain::BlockHeader next = headers.back();
    const std::uint8_t kind = rest.byte();
    next.time += rest.word();
    if ((kind & 1U) != 0) next.time -= 0x8000;
    next.bits = (kind & 2U) != 0 ? context.required_bits(next.time) : headers[rest.below(headers.size())].bits;
    next.version = (kind & 4U) != 0 ? 4 : static_cast<std::int32_t>(rest.byte() % 6) - 1;
    const std::int64_t now = std::int64_t{headers.back().time} + rest.word() % 10'000;
    util::ensure(context.median_time_past() == reference::median_time_past(headers), "another median");
    util::ensure(context.required_bits(next.time) == reference::required_bits(headers, next.time, params),
                 "other bits");
    const auto verdict = context.check(next, now);
    util::ensure(verdict == reference::check(headers, next, params, now), "another verdict");
    if (!verdict) add(next);
    if ((kind & 8U) == 0) continue;
    // A run of right headers, to come near the end of a period.
    const std::uint32_t pace = 1 + rest.word() % 4'000;
    for (std::size_t n = rest.word() % 2'017; n > 0; --n) {
      chain::BlockHeader follower = headers.back();
      follower.time += pace;
      follower.bits = context.required_bits(follower.time);
      add(follower);
    }
  }
}
