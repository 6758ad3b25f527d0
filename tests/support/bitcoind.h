// Bitcoind: a real node on regtest for one test, in a folder and on ports of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "tests/support/process.h"
#include "tests/support/rpc.h"
#include "tests/support/temp_dir.h"

namespace spv::test {

struct BitcoindOptions {
  bool bloom_filters = true;             ///< Serve BIP37 and announce NODE_BLOOM.
  bool wallet = true;                    ///< Make the wallet that the helpers mine to and pay from.
  std::vector<std::string> arguments{};  ///< Added to the command line.
};

/// Starts in the constructor (throws std::runtime_error with the node's own words if it cannot), ends with the object.
class Bitcoind {
 public:
  /// The name of the wallet of mine(), new_address() and send().
  static constexpr const char* kWallet = "miner";

  explicit Bitcoind(BitcoindOptions options = {});
  Bitcoind(const Bitcoind&) = delete;
  Bitcoind& operator=(const Bitcoind&) = delete;
  ~Bitcoind();

  /// The program: $BITCOIND, else on PATH, else where scripts/get-bitcoind puts it; nullopt if there is none.
  static std::optional<std::string> binary();

  /// Where it listens for peers.
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  /// A call: rpc("getblockhash", 5). Throws RpcError.
  template <typename... Params>
  boost::json::value rpc(std::string_view method, const Params&... params) {
    return call("/", method, {boost::json::value_from(params)...});
  }
  /// The same on one of the node's wallets.
  template <typename... Params>
  boost::json::value wallet_rpc(std::string_view wallet, std::string_view method, const Params&... params) {
    return call("/wallet/" + std::string(wallet), method, {boost::json::value_from(params)...});
  }

  /// Mines to an address, by default a new one of its own wallet; gives the block hashes in display hex.
  std::vector<std::string> mine(int count, const std::string& to = {});
  /// Mines one block with exactly these transactions (txids in the mempool, or raw hex), in this order.
  std::string generate_block(const std::string& to, const std::vector<std::string>& transactions);
  /// A new address of its wallet: "bech32", "legacy", "p2sh-segwit" or "bech32m".
  std::string new_address(const std::string& type = "bech32");
  /// Pays from its wallet; gives the txid. Mine 101 blocks first.
  std::string send(const std::string& to, std::int64_t amount_sat);
  /// Sees to it that what one of its wallets sent is in the mempool, and gives the txid. Throws why the node refuses
  /// it, after the wallet gave it up: it alone would count the coins as spent.
  std::string taken(std::string_view wallet, const std::string& txid);
  /// Takes a block and all after it off the best chain.
  void invalidate_block(const std::string& hash) { rpc("invalidateblock", hash); }
  [[nodiscard]] int height();
  std::string best_block();
  /// Makes it a peer of another node and waits until the connection stands.
  void connect_to(const Bitcoind& other);
  /// Waits until both have the same best block; throws after 60 s.
  void sync_with(Bitcoind& other);
  /// Ends it in order and starts it again on the same folder and ports.
  void restart();
  /// Ends it in order; restart() brings it back.
  void stop();

 private:
  boost::json::value call(const std::string& path, std::string_view method, const boost::json::array& params);
  void start();
  bool try_start(bool new_ports);
  [[nodiscard]] std::vector<std::string> command() const;
  [[nodiscard]] std::string log_tail() const;

  BitcoindOptions options_;
  TempDir folder_;
  std::uint16_t port_ = 0;
  std::uint16_t rpc_port_ = 0;
  std::unique_ptr<ChildProcess> process_;
  std::unique_ptr<RpcClient> client_;
};

/// Satoshis of an amount in bitcoind's JSON (BTC as a number).
std::int64_t to_sat(const boost::json::value& btc);
/// An amount as bitcoind takes it exactly: BTC with 8 decimals, as text.
std::string to_btc(std::int64_t amount_sat);

}  // namespace spv::test

/// Skips the running test, with the reason, if there is no bitcoind.
#define SPV_BITCOIND_OR_SKIP()                                                 \
  if (!::spv::test::Bitcoind::binary()) {                                      \
    GTEST_SKIP() << "no bitcoind: set $BITCOIND, or run scripts/get-bitcoind"; \
  }                                                                            \
  static_assert(true, "takes a semicolon")
