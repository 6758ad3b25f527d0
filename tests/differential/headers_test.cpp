// The rules for headers, over random chains of every network, against a second implementation.
#include <gtest/gtest.h>

#include "chain/header_rules.h"
#include "chain/pow.h"
#include "tests/differential/cases.h"
#include "tests/differential/reference_headers.h"

namespace spv::test {
namespace {

using chain::BlockHeader;
using chain::Network;
using reference::Number;

constexpr Network kNetworks[]{Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet, Network::Regtest};

std::uint32_t random_bits(util::Rng& rng) {
  switch (rng.below(4)) {
    case 0:
      return static_cast<std::uint32_t>(rng.next());
    case 1:  // around the limits of length and sign
      return static_cast<std::uint32_t>((rng.below(36) << 24U) | (rng.below(2) << 23U) | rng.below(0x800000));
    case 2:
      return static_cast<std::uint32_t>((rng.below(36) << 24U) | (1ULL << rng.below(24)));
    default:
      return static_cast<std::uint32_t>((rng.below(8) << 24U) | rng.below(0x1000000));
  }
}

Number as_number(const chain::Uint256& number) { return reference::number_of(number.to_little_endian()); }

TEST(Differential, BitsTargetsAndWorkAreThoseOfASecondImplementation) {
  const auto cases = differential_cases(100'000);
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    const std::uint32_t bits = random_bits(rng);
    const auto ours = chain::decode_bits(bits);
    const auto theirs = reference::target_of(bits);
    ASSERT_EQ(ours.has_value(), theirs.has_value()) << bits;
    ASSERT_EQ(as_number(chain::work_of_bits(bits)), reference::work_of(bits)) << bits;
    if (!ours) continue;
    ASSERT_EQ(as_number(*ours), *theirs) << bits;
    ASSERT_EQ(chain::encode_bits(*ours), reference::bits_of(*theirs)) << bits;
    const auto bytes = rng.bytes(1 + rng.below(32));
    util::Bytes padded = bytes;
    padded.resize(32);
    ASSERT_EQ(chain::encode_bits(chain::Uint256::from_little_endian(padded)),
              reference::bits_of(reference::number_of(bytes)));
  }
}

// A chain that grows by headers which may be right or wrong; only right ones are added.
class Growth {
 public:
  explicit Growth(util::Rng& rng) : rng_(rng), params_(chain::params(kNetworks[rng.below(5)])) {
    // Rules of versions within reach.
    params_.bip34_height = static_cast<chain::Height>(rng.below(2'500));
    params_.bip66_height = params_.bip34_height + static_cast<chain::Height>(rng.below(1'000));
    params_.bip65_height = params_.bip66_height + static_cast<chain::Height>(rng.below(1'000));
    BlockHeader genesis = params_.genesis;
    if (rng.below(2) == 0 && !params_.no_retargeting)
      genesis.bits = 0x1B00'0000U + static_cast<std::uint32_t>(1 + rng.below(0x7F'FFFF));
    headers_.push_back(genesis);
    context_.emplace(params_, 0, genesis);
    pace_ = static_cast<std::uint32_t>(1 + rng.below(3'000));
  }

  /// Empty if both say the same of a random next header, which is added if it is right.
  std::string step() {
    const BlockHeader next = random_next();
    const std::int64_t now = std::int64_t{headers_.back().time} + static_cast<std::int64_t>(rng_.below(5'000));
    if (context_->median_time_past() != reference::median_time_past(headers_)) return "another median";
    if (context_->required_bits(next.time) != reference::required_bits(headers_, next.time, params_))
      return "other bits";
    const auto ours = context_->check(next, now);
    if (ours != reference::check(headers_, next, params_, now)) return "another verdict";
    if (!ours) add(next);
    return "";
  }

  /// Goes on with right headers until the next is that many before the end of the period.
  void fast_forward(std::size_t left) {
    while ((headers_.size() + left) % 2016 != 0) {
      BlockHeader next = headers_.back();
      next.time += pace_;
      next.bits = context_->required_bits(next.time);
      next.version = 4;
      add(next);
    }
  }
  [[nodiscard]] std::size_t height() const { return headers_.size(); }

 private:
  BlockHeader random_next() {
    BlockHeader next = headers_.back();
    switch (rng_.below(5)) {
      case 0:  // around the twenty minutes
        next.time += static_cast<std::uint32_t>(1'199 + rng_.below(3));
        break;
      case 1:  // around the median
        next.time = context_->median_time_past() + static_cast<std::uint32_t>(rng_.below(3)) - 1;
        break;
      case 2:  // around the ten minutes back of BIP94
        next.time -= static_cast<std::uint32_t>(599 + rng_.below(3));
        break;
      case 3:
        next.time += static_cast<std::uint32_t>(rng_.below(10'000));
        break;
      default:
        next.time += pace_;
        break;
    }
    next.bits = context_->required_bits(next.time);
    if (rng_.below(8) == 0) next.bits = rng_.below(2) == 0 ? params_.pow_limit_bits : next.bits + 1;
    next.version = static_cast<std::int32_t>(rng_.below(8) == 0 ? rng_.below(6) - 1 : 4);
    return next;
  }
  void add(const BlockHeader& next) {
    headers_.push_back(next);
    context_->advance(next);
  }

  util::Rng& rng_;
  chain::NetworkParams params_;
  std::vector<BlockHeader> headers_;
  std::optional<chain::HeaderContext> context_;
  std::uint32_t pace_ = 600;
};

TEST(Differential, HeaderRulesAreThoseOfASecondImplementation) {
  constexpr std::uint64_t kSteps = 500;  // a case is one header
  const auto chains = differential_cases(50'000) / kSteps + 1;
  for (std::uint64_t number = 0; number < chains; ++number) {
    auto rng = case_rng(number);
    Growth growth(rng);
    for (std::uint64_t step = 0; step < kSteps; ++step) {
      // Most rules sleep but at a period's end: some steps before it, and some behind it.
      if (step % 50 == 25) growth.fast_forward(1 + rng.below(20));
      ASSERT_EQ(growth.step(), "") << "chain " << number << ", step " << step << ", height " << growth.height();
    }
  }
}

TEST(Differential, ARetargetIsThatOfASecondImplementation) {
  const auto cases = differential_cases(20'000);
  for (std::uint64_t number = 0; number < cases; ++number) {
    auto rng = case_rng(number);
    const auto& params = chain::params(kNetworks[rng.below(4)]);
    std::vector<BlockHeader> headers(2016, params.genesis);
    const auto limit = *chain::decode_bits(params.pow_limit_bits);
    const auto random_target = [&] {
      return chain::encode_bits(limit / chain::Uint256(1 + rng.below(1ULL << (1 + rng.below(62)))));
    };
    headers.front().bits = random_target();
    headers.back().bits = random_target();
    headers.front().time = static_cast<std::uint32_t>(1'300'000'000 + rng.below(100'000'000));
    headers.back().time = headers.front().time + static_cast<std::uint32_t>(rng.below(6'000'000)) -
                          static_cast<std::uint32_t>(rng.below(4) == 0 ? rng.below(6'000'000) : 0);
    const std::uint32_t base = params.enforce_bip94 ? headers.front().bits : headers.back().bits;
    ASSERT_EQ(chain::retarget(base, headers.front().time, headers.back().time, params),
              reference::required_bits(headers, headers.back().time + 1, params))
        << "case " << number;
  }
}

}  // namespace
}  // namespace spv::test
