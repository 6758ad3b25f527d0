// Contention: how often a wallet finds coins, and what that costs. What is under way elsewhere, or under a filter that
// was loaded meanwhile, must be asked for again when a coin is found; where coins are many it pays to have less under
// way.
#pragma once

#include <algorithm>
#include <cstddef>

namespace spv::sync {

class Contention {
 public:
  /// A block was applied; `coin`: with a coin for us in it.
  void on_block(bool coin) {
    coins_per_block_ += ((coin ? 1.0 : 0.0) - coins_per_block_) * kWeight;
    again_per_block_ -= again_per_block_ * kWeight;
    if (again_per_block_ < kLow) crowded_ = false;
  }
  /// So many blocks must be asked for again.
  void on_asked_again(std::size_t blocks) {
    again_per_block_ += static_cast<double>(blocks) * kWeight;
    if (again_per_block_ > kHigh) crowded_ = true;
  }
  /// Several peers get into each other's way: one alone, which learns of the coins it serves itself, is quicker.
  [[nodiscard]] bool crowded() const { return crowded_; }
  /// So many blocks are unlikely to hold a coin.
  [[nodiscard]] double calm_blocks() const { return kCalm / std::max(coins_per_block_, kLeastCoins); }
  /// So many under way at every other peer cost about a tenth of the work, asked for again with each coin.
  [[nodiscard]] double bearable_blocks() const { return kBearable / std::max(coins_per_block_, kLeastCoins); }
  [[nodiscard]] bool is_calm(std::size_t blocks) const { return static_cast<double>(blocks) < calm_blocks(); }

 private:
  static constexpr double kWeight = 1.0 / 128;
  static constexpr double kLow = 0.1;
  static constexpr double kHigh = 0.75;
  static constexpr double kCalm = 0.25;
  static constexpr double kBearable = 0.1;
  static constexpr double kLeastCoins = 1e-6;

  // Nothing is known of a wallet at first: as if coins were many, until they turn out to be few.
  double coins_per_block_ = 0.05;
  double again_per_block_ = 0;
  bool crowded_ = false;
};

}  // namespace spv::sync
