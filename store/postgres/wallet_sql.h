// The statements that read wallets, and those that make, change and delete them.
#pragma once

#include "store/postgres/connection.h"

namespace spv::store::postgres::sql {

inline constexpr Statement kNames{.name = "wallet_names", .sql = "SELECT name FROM wallet ORDER BY name"};
inline constexpr Statement kContains{.name = "wallet_contains",
                                     .sql = "SELECT EXISTS (SELECT FROM wallet WHERE name = $1)"};
inline constexpr Statement kNamesOfShards{.name = "wallet_names_of_shards",
                                          .sql = "SELECT name FROM wallet WHERE shard = ANY($1)"};
inline constexpr Statement kExistingOf{.name = "wallet_existing_of",
                                       .sql = "SELECT name FROM wallet WHERE name = ANY($1)"};
inline constexpr Statement kOwners{.name = "wallet_owners",
                                   .sql =
                                       "SELECT DISTINCT wallet.name FROM unnest($1, $2) AS spent (txid, vout)"
                                       " JOIN coin USING (txid, vout) JOIN wallet ON wallet.id = coin.wallet"
                                       " ORDER BY wallet.name"};

// The columns of read_headers().
inline constexpr Statement kHeaders{
    .name = "wallet_headers",
    .sql =
        "SELECT id, name, kind, created, fingerprint, gap_limit, birthday, birthday_time, filter_tweak, decoy_seed,"
        " format, synced FROM wallet LEFT JOIN secret ON secret.wallet = wallet.id WHERE name = ANY($1)"};
inline constexpr Statement kHeadersById{
    .name = "wallet_headers_by_id",
    .sql =
        "SELECT id, name, kind, created, fingerprint, gap_limit, birthday, birthday_time, filter_tweak, decoy_seed,"
        " format, synced FROM wallet LEFT JOIN secret ON secret.wallet = wallet.id WHERE id = ANY($1)"};

inline constexpr Statement kKeyChains{
    .name = "wallet_key_chains",
    .sql =
        "SELECT wallet, chain, descriptor, is_change, watched, last_used, next_unissued FROM key_chain"
        " WHERE wallet = ANY($1) ORDER BY wallet, chain"};
// Of a wallet that still has its name.
inline constexpr Statement kLockKeyChain{
    .name = "wallet_lock_key_chain",
    .sql =
        "SELECT wallet, chain, descriptor, is_change, watched, last_used, next_unissued, gap_limit FROM key_chain"
        " JOIN wallet ON wallet.id = key_chain.wallet AND wallet.name = $2"
        " WHERE wallet = $1 AND chain = $3 FOR UPDATE OF key_chain"};
inline constexpr Statement kIssue{.name = "wallet_issue",
                                  .sql = "UPDATE key_chain SET next_unissued = $3 WHERE wallet = $1 AND chain = $2"};
inline constexpr Statement kIssued{.name = "wallet_issued",
                                   .sql = "SELECT next_unissued FROM key_chain WHERE wallet = $1 ORDER BY chain"};
inline constexpr Statement kScans{
    .name = "wallet_scans",
    .sql =
        "SELECT wallet, height, hash, backfill_from, backfill_to, anchors, attested, peers, time FROM scan"
        " WHERE wallet = ANY($1)"};
inline constexpr Statement kTransactions{
    .name = "wallet_transactions",
    .sql =
        "SELECT wallet, txid, raw, block_height, block_hash, block_time, block_index, first_seen, sequence, proof,"
        " seen_at, send_state, peers_accepted, told_state, told_net, told_block FROM wallet_tx JOIN tx USING (txid)"
        " WHERE wallet = ANY($1) ORDER BY wallet, number"};
inline constexpr Statement kRawTransactions{
    .name = "wallet_raw_transactions",
    .sql = "SELECT raw FROM tx WHERE txid IN (SELECT txid FROM wallet_tx WHERE wallet = ANY($1))"};
inline constexpr Statement kScripts{
    .name = "wallet_scripts",
    .sql = "SELECT wallet, chain, index, script FROM script WHERE wallet = ANY($1) ORDER BY wallet, chain, index"};
inline constexpr Statement kFrozen{
    .name = "wallet_frozen",
    .sql = "SELECT wallet, ref FROM label WHERE wallet = ANY($1) AND type = 'output' AND NOT spendable ORDER BY ref"};

inline constexpr Statement kInsertWallet{
    .name = "wallet_insert",
    .sql =
        "INSERT INTO wallet (name, shard, kind, fingerprint, gap_limit, birthday, birthday_time, filter_tweak,"
        " decoy_seed, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id"};
inline constexpr Statement kReconfigure{.name = "wallet_reconfigure",
                                        .sql =
                                            "UPDATE wallet SET gap_limit = $2, birthday = $3, birthday_time = $4,"
                                            " filter_tweak = $5, decoy_seed = $6, synced = $7 WHERE id = $1"};
inline constexpr Statement kInsertKeyChain{
    .name = "wallet_insert_key_chain",
    .sql =
        "INSERT INTO key_chain (wallet, chain, descriptor, is_change, watched, last_used, next_unissued)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)"};
inline constexpr Statement kInsertSecret{.name = "wallet_insert_secret",
                                         .sql = "INSERT INTO secret (wallet, format, data) VALUES ($1, $2, $3)"};
inline constexpr Statement kReplaceSecret{.name = "wallet_replace_secret",
                                          .sql = "UPDATE secret SET format = $2, data = $3 WHERE wallet = $1"};
inline constexpr Statement kSecret{.name = "wallet_secret", .sql = "SELECT format, data FROM secret WHERE wallet = $1"};
inline constexpr Statement kRename{.name = "wallet_rename",
                                   .sql = "UPDATE wallet SET name = $2, shard = $3 WHERE id = $1"};
// Its events stay, and the name with them.
inline constexpr Statement kKeepName{
    .name = "wallet_keep_name",
    .sql = "INSERT INTO removed_wallet (id, name) SELECT id, name FROM wallet WHERE id = $1"};
inline constexpr Statement kDelete{.name = "wallet_delete", .sql = "DELETE FROM wallet WHERE id = $1"};

inline constexpr Statement kLabels{
    .name = "wallet_labels",
    .sql = "SELECT type, ref, label, origin, spendable FROM label WHERE wallet = $1 ORDER BY type, ref"};
// Keeps it from being renamed or deleted until the transaction ends; nothing if it has another name by now.
inline constexpr Statement kLockName{.name = "wallet_lock_name",
                                     .sql = "SELECT id FROM wallet WHERE id = $1 AND name = $2 FOR SHARE"};
// Each (type, ref) once.
inline constexpr Statement kAddLabels{
    .name = "wallet_add_labels",
    .sql =
        "INSERT INTO label (wallet, type, ref, label, origin) SELECT $1, type, ref, '', '' FROM unnest($2, $3)"
        " AS change (type, ref) ON CONFLICT DO NOTHING"};
// What is null stays.
inline constexpr Statement kChangeLabels{
    .name = "wallet_change_labels",
    .sql =
        "UPDATE label SET label = coalesce(change.label, label.label), origin = coalesce(change.origin, label.origin),"
        " spendable = coalesce(change.spendable, label.spendable)"
        " FROM unnest($2, $3, $4, $5, $6) AS change (type, ref, label, origin, spendable)"
        " WHERE wallet = $1 AND label.type = change.type AND label.ref = change.ref"};
inline constexpr Statement kDropEmptyLabels{
    .name = "wallet_drop_empty_labels",
    .sql = "DELETE FROM label WHERE wallet = $1 AND ref = ANY($2) AND label = '' AND spendable IS NULL"};

}  // namespace spv::store::postgres::sql
