// What the values of a stored wallet must be to be believed, whichever table they come from: a file's or a database's.
// All functions throw Corrupt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/stored_wallet.h"
#include "util/bytes.h"
#include "wallet/records.h"

namespace spv::store {

/// Throws Corrupt with the name of what is wrong.
[[noreturn]] void throw_corrupt(const std::string& what);
void require_sound(bool condition, const char* what);

struct WalletValues {
  std::string_view kind;
  std::int64_t created = 0;
  std::optional<util::ByteView> fingerprint;
  std::int64_t gap_limit = 0;
  std::int64_t birthday = 0;
  std::optional<std::int64_t> birthday_time;
  std::int64_t filter_tweak = 0;
  std::int64_t decoy_seed = 0;  // 64 bits without a sign, kept as if they had one
};
/// Sets all but the network, the key chains and `encrypted`.
void read_checked(const WalletValues& values, wallet::WalletConfig& config, WalletInfo& info);

struct KeyChainValues {
  std::string_view descriptor;
  bool change = false;
  std::int64_t watched = 0;
  std::optional<std::int64_t> last_used;
  std::int64_t next_unissued = 0;
};
struct KeyChainRow {
  wallet::KeyChainConfig config;
  wallet::KeyChainState state;
};
KeyChainRow checked(const KeyChainValues& values, const wallet::WalletConfig& config);

struct ScanValues {
  std::int64_t height = 0;
  util::ByteView hash;
  std::optional<std::int64_t> backfill_from;
  std::optional<std::int64_t> backfill_to;
  util::ByteView anchors;
};
/// Sets all but what attests the scan.
wallet::ScanState checked(const ScanValues& values);
util::Bytes encode_anchors(const std::vector<chain::BlockRef>& anchors);
util::Bytes encode_periods(const wallet::Attestation& attested);
wallet::Attestation decode_periods(util::ByteView bytes);

struct TxValues {
  util::ByteView txid;
  util::ByteView raw;
  std::optional<std::int64_t> block_height;
  std::optional<util::ByteView> block_hash;
  std::optional<std::int64_t> block_time;
  std::optional<std::int64_t> block_index;
  std::int64_t first_seen = 0;
  std::int64_t sequence = 0;
  util::ByteView proof;
  std::int64_t seen_at = 0;
  std::optional<std::int64_t> send_state;
  std::optional<std::int64_t> peers_accepted;
};
wallet::TxRecord checked(const TxValues& values);

struct ToldValues {
  util::ByteView txid;
  std::int64_t state = 0;
  std::int64_t net = 0;
  std::optional<util::ByteView> block;
};
wallet::Told checked(const ToldValues& values);

StoredSecret::Format checked_secret_format(std::int64_t format);
std::uint32_t checked_gap_limit(std::int64_t value);
std::uint32_t checked_u32(std::int64_t value, const char* what);

}  // namespace spv::store
