// A wallet with something of everything, and a folder to keep it in.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/wallet_repository.h"
#include "tests/support/temp_dir.h"
#include "tests/wallet/wallet_samples.h"
#include "util/hex.h"

namespace spv::test {

inline store::WalletRepository::Contents sample_contents(int transactions = 3) {
  auto config = sample_config(2);
  config.birthday = 5;
  config.filter = {.tweak = 0xFFFF'FFFF, .decoy_seed = 0xFEDC'BA98'7654'3210};
  wallet::Wallet wallet(config, wallet::Wallet::fresh_state(config));
  const util::Bytes signature{9, 9, 9};
  chain::Transaction last;
  for (int i = 0; i < transactions; ++i) {
    const auto coin = outpoint(TxBuilder(static_cast<std::uint64_t>(1000 + i)).build());
    last = TxBuilder(static_cast<std::uint64_t>(i))
               .spends(coin)
               .witness(signature)
               .pays(receive_script(1), 100 + i)
               .build();
    confirm(wallet, last, 10 + i);
  }
  see(wallet, TxBuilder(77).spends(last).pays(change_script(0), 50).build());
  wallet::ScanState scan = scanned_to(200);
  scan.backfill = wallet::HeightRange{.from = 7, .to = 9};
  for (chain::Height height = 20; height < 60; ++height) scan.attested.add_by_two(height);
  scan.attested.add_whole(60);
  scan.peers = 3;
  scan.time = 1'700'000'123;
  wallet.set_scan(scan);
  static_cast<void>(wallet.issue_address(false, true));

  store::WalletRepository::Contents contents{.config = config, .state = {}};
  for (const bool change : {false, true}) {
    contents.state.key_chains.push_back(
        wallet.issue_address(change, false)->changes.key_chains.empty()
            ? wallet::KeyChainState{.watched = 20, .last_used = 1, .next_unissued = 3}
            : wallet::KeyChainState{.watched = 20, .last_used = {}, .next_unissued = 1});
  }
  contents.state.transactions.assign(wallet.transactions().begin(), wallet.transactions().end());
  contents.state.scan = wallet.scan();
  return contents;
}

inline const store::WalletInfo kWatchOnly{
    .kind = store::WalletKind::Watch, .created = kNow, .fingerprint = {}, .encrypted = false};

/// Everything that must come back, as text that a failure can show.
inline std::string describe(const store::WalletRepository::Contents& contents) {
  const auto& [config, state] = contents;
  std::string out = std::string(chain::params(config.network).name) + " gap " + std::to_string(config.gap_limit) +
                    " birthday " + std::to_string(config.birthday) + " tweak " + std::to_string(config.filter.tweak) +
                    " seed " + std::to_string(config.filter.decoy_seed) + "\n";
  for (std::size_t i = 0; i < config.key_chains.size(); ++i) {
    const auto& chain = state.key_chains[i];
    out += config.key_chains[i].descriptor.to_string() + (config.key_chains[i].change ? " change " : " receive ") +
           std::to_string(chain.watched) + " " + (chain.last_used ? std::to_string(*chain.last_used) : "-") + " " +
           std::to_string(chain.next_unissued) + "\n";
  }
  out += "scan " + std::to_string(state.scan.scanned_to.height) + " " + to_string(state.scan.scanned_to.hash);
  if (state.scan.backfill)
    out += " " + std::to_string(state.scan.backfill->from) + "-" + std::to_string(state.scan.backfill->to);
  out += " attested " + std::to_string(state.scan.attested.total().by_two) + "+" +
         std::to_string(state.scan.attested.total().whole) + " by " + std::to_string(state.scan.peers) + " at " +
         std::to_string(state.scan.time);
  for (const auto& anchor : state.scan.anchors) out += " " + std::to_string(anchor.height) + to_string(anchor.hash);
  for (const auto& record : state.transactions) {
    out += "\n" + to_string(record.txid) + " " + util::to_hex(record.tx.serialize()) + " " +
           std::to_string(record.first_seen) + " " + std::to_string(record.sequence) + " " + util::to_hex(record.proof);
    if (!record.confirmation) continue;
    out += " " + std::to_string(record.confirmation->block.height) + to_string(record.confirmation->block.hash) + " " +
           std::to_string(record.confirmation->block_time) + " " + std::to_string(record.confirmation->index);
  }
  return out + "\n";
}

inline util::Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
inline void write_file(const std::string& path, util::ByteView bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// The kind of the StoreError that a call throws; fails the test if it throws none.
template <typename Call>
store::StoreError::Kind kind_thrown_by(Call call) {
  try {
    call();
  } catch (const store::StoreError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
    return error.kind();
  }
  ADD_FAILURE() << "no StoreError";
  return store::StoreError::Kind::Io;
}

}  // namespace spv::test
