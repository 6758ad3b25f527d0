// Rows of a wallet file as values: how each is written, read back and checked. A row that was not written by us in
// this form is Corrupt.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "store/checks.h"
#include "store/database.h"
#include "store/stored_wallet.h"
#include "util/codec.h"
#include "wallet/records.h"

namespace spv::store {

/// First eight bytes of a SHA-256 over a row's values.
using Checksum = std::array<std::uint8_t, 8>;

/// Of what a row's values were written to.
Checksum checksum_over(const util::Writer& values);
/// As it is stored. Throws Corrupt.
Checksum read_checksum(util::ByteView bytes, const char* what);

/// Count and sum (exclusive or) of the checksums of all transactions.
struct TxTotals {
  std::int64_t count = 0;
  Checksum sum{};
  void toggle(const Checksum& checksum);
  friend bool operator==(const TxTotals&, const TxTotals&) = default;
};

struct WalletRow {
  wallet::WalletConfig config;  // without its key chains
  WalletInfo info;
  std::int64_t key_chains = 0;
};
struct ScanRow {
  wallet::ScanState scan;
  TxTotals totals;
};
struct TxRow {
  wallet::TxRecord record;
  Checksum checksum{};
};

// Columns in the order of the tables, from the first after `id`; each writer binds from parameter 1.
inline constexpr std::string_view kWalletColumns =
    "network, kind, created, fingerprint, gap_limit, birthday, birthday_time, filter_tweak, decoy_seed, key_chains,"
    " checksum";
inline constexpr std::string_view kKeyChainColumns =
    "descriptor, is_change, watched, last_used, next_unissued, checksum";
inline constexpr std::string_view kScanColumns =
    "height, hash, backfill_from, backfill_to, anchors, tx_count, tx_sum, checksum, attested";
inline constexpr std::string_view kTxColumns =
    "txid, raw, block_height, block_hash, block_time, block_index, first_seen, sequence, proof, checksum, seen_at,"
    " send_state, peers_accepted";
inline constexpr std::string_view kSecretColumns = "format, data, checksum";

void bind_wallet(Statement& into, const WalletRow& row);
WalletRow read_wallet(const Statement& from);
/// `id` is the number of the chain in the wallet.
void bind_key_chain(Statement& into, std::int64_t id, const KeyChainRow& row);
KeyChainRow read_key_chain(const Statement& from, std::int64_t id, const wallet::WalletConfig& config);
void bind_scan(Statement& into, const ScanRow& row);
ScanRow read_scan(const Statement& from);
Checksum bind_tx(Statement& into, const wallet::TxRecord& record);
TxRow read_tx(const Statement& from);
void bind_secret(Statement& into, const StoredSecret& secret);
StoredSecret read_secret(const Statement& from);

}  // namespace spv::store
