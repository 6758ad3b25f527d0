// Coins, scripts and a context for the tests of spending.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "util/bytes.h"
#include "util/rng.h"
#include "wallet/spend/payment.h"

namespace spv::test {

inline constexpr std::int64_t kWpkhWeight = 271;

/// OP_0 and a program of 20 bytes that begin with this number.
inline util::Bytes wpkh_script(std::uint32_t number) {
  util::Bytes script(22, 0xA5);
  script[0] = 0x00;
  script[1] = 0x14;
  for (std::size_t i = 0; i < 4; ++i) script[2 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  return script;
}
inline util::Bytes tr_script(std::uint32_t number) {
  util::Bytes script(34, 0x5A);
  script[0] = 0x51;
  script[1] = 0x20;
  for (std::size_t i = 0; i < 4; ++i) script[2 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  return script;
}
inline util::Bytes pkh_script(std::uint8_t number) {
  util::Bytes script(25, number);
  script[0] = 0x76;
  script[1] = 0xA9;
  script[2] = 0x14;
  script[23] = 0x88;
  script[24] = 0xAC;
  return script;
}
inline util::Bytes sh_script(std::uint8_t number) {
  util::Bytes script(23, number);
  script[0] = 0xA9;
  script[1] = 0x14;
  script[22] = 0x87;
  return script;
}

inline chain::OutPoint outpoint(std::uint32_t number, std::uint32_t index = 0) {
  chain::OutPoint point;
  for (std::size_t i = 0; i < 4; ++i) point.txid.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  point.txid.bytes[31] = 0xC0;
  point.index = index;
  return point;
}

/// A confirmed P2WPKH coin with a script of its own.
inline wallet::spend::Candidate coin(std::uint32_t number, chain::Amount value) {
  wallet::spend::Candidate coin;
  coin.outpoint = outpoint(number);
  coin.output = {.value = value, .script_pubkey = wpkh_script(number)};
  coin.key = wallet::KeyId{.chain = 0, .index = number};
  coin.weight = wallet::spend::InputWeight{.weight = kWpkhWeight, .segwit = true};
  return coin;
}

inline wallet::spend::ChangeScript wpkh_change() {
  return {.script = wpkh_script(0xFFFF'0001),
          .key = wallet::KeyId{.chain = 1, .index = 0},
          .weight = wallet::spend::InputWeight{.weight = kWpkhWeight, .segwit = true}};
}
inline wallet::spend::ChangeScript tr_change() {
  return {.script = tr_script(0xFFFF'0002),
          .key = wallet::KeyId{.chain = 3, .index = 0},
          .weight = wallet::spend::InputWeight{.weight = 230, .segwit = true}};
}

/// A wallet of some coins with change of P2WPKH and a fresh tip.
struct SpendSample {
  std::vector<wallet::spend::Candidate> coins;
  std::vector<wallet::spend::ChangeScript> change{wpkh_change()};
  util::Bytes secret = util::Bytes(32, 7);
  wallet::spend::Tip tip{.height = 800'000, .time = 1'700'000'000};
  util::UnixTime now = 1'700'000'600;
  std::optional<wallet::spend::FeeRate> floor = std::nullopt;

  explicit SpendSample(const std::vector<chain::Amount>& values = {}) {
    for (const chain::Amount value : values) coins.push_back(coin(static_cast<std::uint32_t>(coins.size() + 1), value));
  }
  [[nodiscard]] wallet::spend::SpendContext context() const {
    wallet::spend::SpendContext context;
    context.coins = coins;
    context.change = change;
    context.secret = secret;
    context.tip = tip;
    context.now = now;
    context.floor = floor;
    return context;
  }
};

inline wallet::spend::PaymentRequest pay(chain::Amount amount, std::int64_t sat_per_kvb) {
  wallet::spend::PaymentRequest request;
  request.recipients.push_back({.script = wpkh_script(0xEE00'0001), .amount = amount});
  request.rate = wallet::spend::FeeRate(sat_per_kvb);
  return request;
}

inline std::vector<chain::OutPoint> spent_by(const wallet::spend::Draft& draft) {
  std::vector<chain::OutPoint> outpoints;
  for (const auto& input : draft.tx.inputs) outpoints.push_back(input.previous);
  std::sort(outpoints.begin(), outpoints.end());
  return outpoints;
}

}  // namespace spv::test
