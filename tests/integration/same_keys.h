// SameKeys: one wallet of BIP39 words held twice, by spv and by bitcoind's own wallet, so that their answers can be
// compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/support/bitcoind.h"
#include "tests/support/spv_cli.h"

namespace spv::test {

/// What a wallet holds, in a form in which two wallets can be compared.
struct Holdings {
  std::int64_t total = 0;
  std::map<std::string, std::int64_t> coins;    // "txid:vout" -> satoshis; confirmed and unconfirmed
  std::map<std::string, std::int64_t> heights;  // txid -> height, -1 if unconfirmed; no conflicted ones
  std::map<std::string, std::int64_t> net;      // txid -> net effect
  friend bool operator==(const Holdings&, const Holdings&) = default;
};
std::ostream& operator<<(std::ostream& out, const Holdings& holdings);

class SameKeys {
 public:
  static constexpr const char* kWallet = "same";
  /// A published test mnemonic; never for money.
  static constexpr const char* kMnemonic =
      "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

  /// Restores the wallet in both, with the accounts of one script type or of all.
  SameKeys(Bitcoind& node, SpvCli& cli, const std::string& script = "wpkh");

  /// Runs spv sync and gives its summary.
  boost::json::value sync(std::vector<std::string> extra = {"--mempool-wait", "0"});
  /// The same with the mempool, in which something of ours must wait. A machine that stands still for longer than the
  /// wait makes one sync give up; what it saw is told, and it is tried again.
  boost::json::value sync_with_mempool();
  [[nodiscard]] Holdings by_spv();
  [[nodiscard]] Holdings by_bitcoind();

  /// Addresses of the shared wallet, by bitcoind, of one of its types ("bech32", "legacy", ...).
  std::string receive_address(const std::string& type = "bech32");
  std::string change_address(const std::string& type = "bech32");
  /// Pays from the shared wallet, signed by bitcoind; gives the txid.
  std::string spend(const std::string& to, std::int64_t amount_sat);
  /// Pays a whole coin that a stranger's unconfirmed transaction gave us, the fee out of it, without change.
  std::string spend_unsafe(const std::string& to, std::int64_t amount_sat);
  /// Pays everything, without change.
  std::string spend_all(const std::string& to);

 private:
  Bitcoind& node_;
  SpvCli& cli_;
};

}  // namespace spv::test
