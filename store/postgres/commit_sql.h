// The statements of a commit: one for each table, whatever number of wallets and rows.
#pragma once

#include "store/postgres/connection.h"

namespace spv::store::postgres::sql {

// A block without witnesses may have been the first to tell of it. In the order of the txids: two workers that commit
// the same ones must not wait for each other.
inline constexpr Statement kPutTx{
    .name = "commit_tx",
    .sql =
        "INSERT INTO tx (txid, raw, coinbase) SELECT * FROM unnest($1, $2, $3)"
        " ON CONFLICT (txid) DO UPDATE SET raw = excluded.raw"
        " WHERE substr(tx.raw, 5, 1) <> '\\x00' AND substr(excluded.raw, 5, 1) = '\\x00'"};
inline constexpr Statement kPutInputs{.name = "commit_tx_input",
                                      .sql =
                                          "INSERT INTO tx_input (txid, input, spent_txid, spent_vout)"
                                          " SELECT * FROM unnest($1, $2, $3, $4) ON CONFLICT DO NOTHING"};
inline constexpr Statement kPutWalletTx{
    .name = "commit_wallet_tx",
    .sql =
        "INSERT INTO wallet_tx (wallet, txid, block_height, block_hash, block_time, block_index, first_seen, sequence,"
        " proof, seen_at, send_state, peers_accepted)"
        " SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
        " ON CONFLICT (wallet, txid) DO UPDATE SET block_height = excluded.block_height,"
        " block_hash = excluded.block_hash, block_time = excluded.block_time, block_index = excluded.block_index,"
        " first_seen = excluded.first_seen, sequence = excluded.sequence, proof = excluded.proof,"
        " seen_at = excluded.seen_at, send_state = excluded.send_state, peers_accepted = excluded.peers_accepted"};
// Others hand out addresses meanwhile.
inline constexpr Statement kSetKeyChains{
    .name = "commit_key_chain",
    .sql =
        "UPDATE key_chain SET watched = now.watched, last_used = now.last_used,"
        " next_unissued = greatest(key_chain.next_unissued, now.next_unissued)"
        " FROM unnest($1, $2, $3, $4, $5) AS now (wallet, chain, watched, last_used, next_unissued)"
        " WHERE key_chain.wallet = now.wallet AND key_chain.chain = now.chain"};
inline constexpr Statement kPutScripts{.name = "commit_script",
                                       .sql =
                                           "INSERT INTO script (wallet, chain, index, script)"
                                           " SELECT * FROM unnest($1, $2, $3, $4) ON CONFLICT DO NOTHING"};
// The outputs among these that pay one of these wallets, of transactions that it holds. Of several chains that have a
// script, one with a wildcard comes first, as in wallet::KeyRing.
inline constexpr Statement kPutCoins{
    .name = "commit_coin",
    .sql =
        "INSERT INTO coin (wallet, txid, vout, amount, chain, index)"
        " SELECT DISTINCT ON (script.wallet, output.txid, output.vout) script.wallet, output.txid, output.vout,"
        " output.amount, script.chain, script.index"
        " FROM unnest($2, $3, $4, $5) AS output (txid, vout, amount, script)"
        " JOIN script ON script.script = output.script AND script.wallet = ANY($1)"
        " JOIN wallet_tx ON wallet_tx.wallet = script.wallet AND wallet_tx.txid = output.txid"
        " JOIN key_chain ON key_chain.wallet = script.wallet AND key_chain.chain = script.chain"
        " ORDER BY script.wallet, output.txid, output.vout, position('*' in key_chain.descriptor) = 0, script.chain,"
        " script.index"
        " ON CONFLICT DO NOTHING"};
inline constexpr Statement kPutScans{
    .name = "commit_scan",
    .sql =
        "INSERT INTO scan (wallet, height, hash, backfill_from, backfill_to, anchors, attested, peers, time)"
        " SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        " ON CONFLICT (wallet) DO UPDATE SET height = excluded.height, hash = excluded.hash,"
        " backfill_from = excluded.backfill_from, backfill_to = excluded.backfill_to, anchors = excluded.anchors,"
        " attested = excluded.attested, peers = excluded.peers, time = excluded.time"};
inline constexpr Statement kSetBirthdays{.name = "commit_birthday",
                                         .sql =
                                             "UPDATE wallet SET birthday = now.birthday, birthday_time = NULL"
                                             " FROM unnest($1, $2) AS now (wallet, birthday)"
                                             " WHERE wallet.id = now.wallet"};
inline constexpr Statement kSetSynced{.name = "commit_synced",
                                      .sql =
                                          "UPDATE wallet SET synced = now.synced"
                                          " FROM unnest($1, $2) AS now (wallet, synced) WHERE wallet.id = now.wallet"};
inline constexpr Statement kSetTold{
    .name = "commit_told",
    .sql =
        "UPDATE wallet_tx SET told_state = now.state, told_net = now.net, told_block = now.block"
        " FROM unnest($1, $2, $3, $4, $5) AS now (wallet, txid, state, net, block)"
        " WHERE wallet_tx.wallet = now.wallet AND wallet_tx.txid = now.txid"};
// The counter's row is locked until the commit: who comes next waits for it, so numbers become visible in their order.
// Without the row there is no number, and the insert fails.
inline constexpr Statement kAddEvents{
    .name = "commit_event",
    .sql =
        "WITH next AS (UPDATE counter SET last_event = last_event + $1 RETURNING last_event - $1 AS before)"
        " INSERT INTO event (seq, wallet, type, txid, state, net, block_height, block_hash, block_time, old_hash, data,"
        " time)"
        " SELECT (SELECT before FROM next) + n, wallet, type, txid, state, net, block_height, block_hash, block_time,"
        " old_hash, data, $2 FROM unnest($3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
        " WITH ORDINALITY AS event (wallet, type, txid, state, net, block_height, block_hash, block_time, old_hash,"
        " data, n)"};

}  // namespace spv::store::postgres::sql
