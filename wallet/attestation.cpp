#include "wallet/attestation.h"

#include <algorithm>

namespace spv::wallet {
namespace {

bool is_full(const Attestation::Period& period) { return period.by_two + period.whole >= Attestation::kPeriod; }
bool is_empty(const Attestation::Period& period) { return period.by_two == 0 && period.whole == 0; }

void take_off(std::uint16_t& count, chain::Height blocks) {
  count = static_cast<std::uint16_t>(std::max(count - blocks, 0));
}

}  // namespace

Attestation::Period& Attestation::period_of(chain::Height height) {
  const auto index = static_cast<std::uint32_t>(std::max(height, 0) / kPeriod);
  const auto at = std::ranges::lower_bound(periods_, index, {}, &Period::index);
  if (at != periods_.end() && at->index == index) return *at;
  return *periods_.insert(at, Period{.index = index});
}

void Attestation::add_by_two(chain::Height height) {
  Period& period = period_of(height);
  if (!is_full(period)) ++period.by_two;
}

void Attestation::add_whole(chain::Height height) {
  Period& period = period_of(height);
  if (!is_full(period)) ++period.whole;
}

void Attestation::add(const Attestation& others) {
  const auto raise = [](std::uint16_t& count, std::uint16_t by, const Period& period) {
    count = static_cast<std::uint16_t>(count + std::min<int>(by, kPeriod - period.by_two - period.whole));
  };
  for (const Period& gained : others.periods_) {
    Period& period = period_of(static_cast<chain::Height>(gained.index) * kPeriod);
    raise(period.by_two, gained.by_two, period);
    raise(period.whole, gained.whole, period);
  }
}

void Attestation::forget(chain::Height from, chain::Height to) {
  for (Period& period : periods_) {
    const auto begin = static_cast<chain::Height>(period.index) * kPeriod;
    const chain::Height gone = std::min(to, begin + kPeriod - 1) - std::max(from, begin) + 1;
    if (gone <= 0) continue;
    take_off(period.by_two, gone);
    take_off(period.whole, gone);
  }
  std::erase_if(periods_, is_empty);
}

Attestation::Counts Attestation::total() const {
  Counts counts;
  for (const Period& period : periods_) {
    counts.by_two += period.by_two;
    counts.whole += period.whole;
  }
  return counts;
}

bool Attestation::restore(std::vector<Period> periods) {
  constexpr auto kIndexes = static_cast<std::uint32_t>(INT32_MAX / kPeriod);
  std::uint32_t next = 0;
  for (const Period& period : periods) {
    if (period.index < next || period.index >= kIndexes) return false;
    if (is_empty(period) || period.by_two + period.whole > kPeriod) return false;
    next = period.index + 1;
  }
  periods_ = std::move(periods);
  return true;
}

}  // namespace spv::wallet
