#include "sync/relay/fee_estimate.h"

#include <algorithm>

#include "chain/subsidy.h"

namespace spv::sync {
namespace {

/// BIP34: with what a coinbase script begins, as a script pushes a number.
util::Bytes height_push(chain::Height height) {
  constexpr std::uint8_t kOpBase = 0x50;  // OP_1 is one more
  if (height == 0) return {0};
  if (height <= 16) return {static_cast<std::uint8_t>(kOpBase + height)};
  util::Bytes number;
  for (auto rest = static_cast<std::uint32_t>(height); rest != 0; rest >>= 8U) {
    number.push_back(static_cast<std::uint8_t>(rest & 0xFFU));
  }
  if ((number.back() & 0x80U) != 0) number.push_back(0);  // the highest bit is the sign
  number.insert(number.begin(), static_cast<std::uint8_t>(number.size()));
  return number;
}

bool names_height(const chain::Transaction& coinbase, chain::Height height) {
  const auto expected = height_push(height);
  const auto& script = coinbase.inputs.front().script_sig;
  return script.size() >= expected.size() && std::equal(expected.begin(), expected.end(), script.begin());
}

}  // namespace

std::optional<chain::Amount> fees_claimed(const chain::Transaction& coinbase, chain::Height height,
                                          const chain::NetworkParams& params) {
  if (coinbase.serialized_size() > kMaxCoinbaseBytes) return std::nullopt;
  if (!coinbase.is_coinbase() || !chain::check_structure(coinbase)) return std::nullopt;
  if (height >= params.bip34_height && !names_height(coinbase, height)) return std::nullopt;
  chain::Amount sum = 0;
  for (const auto& output : coinbase.outputs) sum += output.value;  // check_structure() has bounded it
  const chain::Amount fees = std::max<chain::Amount>(sum - chain::subsidy_at(height, params), 0);
  return fees > kMaxBlockFees ? std::nullopt : std::optional(fees);
}

std::optional<FeeEstimate> estimate_fees(std::vector<chain::Amount> earned) {
  if (earned.size() < kMinFeeBlocks) return std::nullopt;
  const auto middle = earned.begin() + static_cast<std::ptrdiff_t>(earned.size() / 2);
  std::ranges::nth_element(earned, middle);
  const std::int64_t rate = *middle * 1'000 / kFullBlockBytes;
  if (rate == 0) return std::nullopt;
  return FeeEstimate{rate, earned.size()};
}

}  // namespace spv::sync
