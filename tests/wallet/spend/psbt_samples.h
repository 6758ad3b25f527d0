// Parties with seeds, their coins and drafts of payments, for the tests of PSBTs.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "chain/params.h"
#include "tests/support/tx_builder.h"
#include "wallet/spend/psbt_roles.h"
#include "wallet/spend/seed_keys.h"

namespace spv::test {

namespace spend = wallet::spend;

inline const chain::NetworkParams& psbt_network() { return chain::params(chain::Network::Regtest); }

/// A seed and what it derives.
struct PsbtParty {
  explicit PsbtParty(std::uint8_t number)
      : master(wallet::ExtendedPrivateKey::from_seed(util::Bytes(32, number)).value()), keys(master) {}

  wallet::ExtendedPrivateKey master;
  spend::SeedKeys keys;

  /// "[d90c6a4f/84'/1'/0']tpub.../<0;1>/*"
  [[nodiscard]] std::string key_text(const wallet::KeyPath& account) const {
    std::string origin = "[";
    for (const auto byte : master.fingerprint()) {
      constexpr char kDigits[] = "0123456789abcdef";
      origin += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return origin + wallet::to_string(account) + "]" + master.descend(account)->to_public().to_string(psbt_network()) +
           "/<0;1>/*";
  }
};

inline const wallet::KeyPath& psbt_account() {
  static const wallet::KeyPath path{wallet::kHardened + 84, wallet::kHardened + 1, wallet::kHardened};
  return path;
}

/// A wallet that knows the scripts of some descriptors, the coins that it is given, and a seed.
class PsbtTestWallet final : public spend::PsbtWallet {
 public:
  explicit PsbtTestWallet(const PsbtParty* seed = nullptr) : seed_(seed) {}

  void watch(const std::string& text) {
    const auto descriptors = wallet::Descriptor::parse(text, psbt_network()).value();
    for (const auto& descriptor : descriptors) {
      for (std::uint32_t index = 0; index < 5; ++index) {
        auto solution = spend::solve(descriptor, index);
        scripts_[descriptor.script_at(index).value()] = {.key = {chains_, index},
                                                         .change = chains_ % 2 == 1,
                                                         .path = descriptor.path_at(index),
                                                         .solution = std::move(solution)};
      }
      ++chains_;
    }
  }
  [[nodiscard]] util::Bytes script_of(std::size_t chain, std::uint32_t index) const {
    const auto found = std::ranges::find_if(scripts_, [&](const auto& entry) {
      return entry.second.key == wallet::KeyId{chain, index};
    });
    return found->first;
  }
  void know(const chain::Transaction& tx, std::uint32_t index) {
    coins_[test::outpoint(tx, index)] = {tx.outputs[index], tx};
  }

  [[nodiscard]] std::optional<spend::KnownCoin> coin(const chain::OutPoint& outpoint) const override {
    const auto found = coins_.find(outpoint);
    return found == coins_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::optional<spend::KnownScript> script(util::ByteView script) const override {
    const auto found = scripts_.find(util::to_bytes(script));
    return found == scripts_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] bool derives(const spend::SpendKey& key) const override {
    if (seed_ == nullptr || !key.origin || !is_ours(key.origin->fingerprint)) return false;
    const auto child = seed_->master.descend(key.origin->path);
    if (!child) return false;
    const auto found = child->to_public().key().compressed();
    return std::ranges::equal(key.public_key, util::ByteView(found).last(key.public_key.size()));
  }
  [[nodiscard]] bool is_ours(const wallet::Fingerprint& fingerprint) const override {
    return seed_ != nullptr && seed_->master.fingerprint() == fingerprint;
  }

 private:
  const PsbtParty* seed_;
  std::size_t chains_ = 0;
  std::map<util::Bytes, spend::KnownScript> scripts_;
  std::map<chain::OutPoint, spend::KnownCoin> coins_;
};

/// A coin of `amount` on the script, in a transaction with another output before it.
inline chain::Transaction psbt_coin(util::ByteView script, chain::Amount amount) {
  return TxBuilder().pays(util::Bytes(22, 0x6A), 1'000).pays(script, amount).build();
}

/// Spends the output 1 of each transaction; pays a stranger and gives change to the script, if any.
inline spend::Draft psbt_draft(const spend::PsbtWallet& wallet, const std::vector<chain::Transaction>& coins,
                               chain::Amount payment, const util::Bytes& change_script = {}, chain::Amount change = 0) {
  spend::Draft draft;
  chain::Amount sum = 0;
  for (const auto& coin : coins) {
    const auto& spent = coin.outputs[1];
    const auto known = wallet.script(spent.script_pubkey);
    draft.tx.inputs.push_back(
        {.previous = outpoint(coin, 1), .script_sig = {}, .sequence = 0xFFFF'FFFD, .witness = {}});
    draft.inputs.push_back({.outpoint = outpoint(coin, 1),
                            .spent = spent,
                            .key = known ? std::optional(known->key) : std::nullopt,
                            .solution = known ? known->solution : std::nullopt,
                            .previous = coin});
    sum += spent.value;
  }
  draft.outputs.push_back({.output = {payment, util::Bytes{0x00, 0x14, 1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                           10,   11,   12, 13, 14, 15, 16, 17, 18, 19, 20}},
                           .change = false,
                           .key = std::nullopt,
                           .solution = std::nullopt});
  if (!change_script.empty()) {
    const auto known = wallet.script(change_script);
    draft.outputs.push_back({.output = {change, change_script},
                             .change = true,
                             .key = known ? std::optional(known->key) : std::nullopt,
                             .solution = known ? known->solution : std::nullopt});
  }
  for (const auto& output : draft.outputs) draft.tx.outputs.push_back(output.output);
  draft.fee = sum - payment - change;
  return draft;
}

}  // namespace spv::test
