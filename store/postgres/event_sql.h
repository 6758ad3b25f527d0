// The statements of the log of events.
#pragma once

#include "store/postgres/connection.h"

namespace spv::store::postgres::sql {

inline constexpr Statement kEvents{
    .name = "event_read",
    .sql =
        "SELECT event.seq, coalesce(wallet.name, removed_wallet.name, ''), event.time, event.data FROM event"
        " LEFT JOIN wallet ON wallet.id = event.wallet LEFT JOIN removed_wallet ON removed_wallet.id = event.wallet"
        " WHERE event.seq > $1 ORDER BY event.seq LIMIT $2"};
inline constexpr Statement kEventsOf{
    .name = "event_read_of",
    .sql =
        "SELECT event.seq, $3::text, event.time, event.data FROM event WHERE event.seq > $1"
        " AND event.wallet = ANY (ARRAY(SELECT id FROM wallet WHERE name = $3"
        " UNION ALL SELECT id FROM removed_wallet WHERE name = $3)) ORDER BY event.seq LIMIT $2"};
inline constexpr Statement kNewest{.name = "event_newest", .sql = "SELECT last_event FROM counter"};
inline constexpr Statement kOldest{
    .name = "event_oldest",
    .sql = "SELECT coalesce((SELECT min(seq) FROM event), nullif(last_event, 0) + 1) FROM counter"};
// In the order of the numbers: a clock that went back must not make a hole.
inline constexpr Statement kPrune{
    .name = "event_prune",
    .sql =
        "DELETE FROM event WHERE seq < coalesce((SELECT seq FROM event WHERE time >= $1 ORDER BY seq LIMIT 1),"
        " (SELECT max(seq) + 1 FROM event))"};
inline constexpr Statement kForgetNames{
    .name = "event_forget_names",
    .sql = "DELETE FROM removed_wallet WHERE NOT EXISTS (SELECT FROM event WHERE event.wallet = removed_wallet.id)"};

// The chain whose tip was told last; see store/chain_view.h.
inline constexpr Statement kLockCounter{.name = "chain_lock", .sql = "SELECT last_event FROM counter FOR UPDATE"};
inline constexpr Statement kToldTip{.name = "chain_tip", .sql = "SELECT height, hash, work FROM told_tip"};
inline constexpr Statement kToldBlocks{.name = "chain_blocks",
                                       .sql = "SELECT height, hash FROM told_block ORDER BY height DESC"};
inline constexpr Statement kForgetBlocks{.name = "chain_forget",
                                         .sql = "DELETE FROM told_block WHERE height > $1 OR height <= $2"};
inline constexpr Statement kKeepBlocks{.name = "chain_keep",
                                       .sql =
                                           "INSERT INTO told_block (height, hash) SELECT * FROM unnest($1, $2)"
                                           " ON CONFLICT (height) DO UPDATE SET hash = excluded.hash"};
inline constexpr Statement kKeepTip{.name = "chain_keep_tip",
                                    .sql =
                                        "INSERT INTO told_tip (height, hash, work) VALUES ($1, $2, $3) ON CONFLICT"
                                        " (one) DO UPDATE SET height = excluded.height, hash = excluded.hash,"
                                        " work = excluded.work"};

inline constexpr Statement kPosition{.name = "event_position", .sql = "SELECT seq FROM consumer WHERE name = $1"};
inline constexpr Statement kAcknowledge{
    .name = "event_acknowledge",
    .sql =
        "INSERT INTO consumer (name, seq) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE"
        " SET seq = greatest(consumer.seq, excluded.seq), updated = clock_timestamp()"};

}  // namespace spv::store::postgres::sql
