#include "store/postgres/migrations.h"

#include <array>

namespace spv::store::postgres {
namespace {

// Rules of all tables. Hashes and scripts are bytea, hashes in the order of the wire (display_hash() turns them round).
// Amounts are satoshis. What the program knows as a time is Unix seconds in a bigint; what the database's clock sets is
// a timestamptz. Text that is compared has the collation "C": its order does not change with the system's locales. No
// triggers: what a commit changes stands in its statements. docs/database.md explains every column to people.
constexpr std::string_view kWallets = R"sql(
CREATE TABLE wallet (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text COLLATE "C" NOT NULL UNIQUE,
  shard         smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),  -- by hash of the name; a worker follows whole shards
  kind          text NOT NULL CHECK (kind IN ('mnemonic', 'watch')),
  fingerprint   bytea CHECK (octet_length(fingerprint) = 4),        -- of the master key (BIP32)
  gap_limit     integer NOT NULL,
  birthday      integer NOT NULL,                                   -- the first block to scan
  birthday_time bigint,                                             -- a birthday given as a date, until its height is known
  filter_tweak  bigint NOT NULL,
  decoy_seed    bigint NOT NULL,                                    -- 64 bits without a sign, kept as if they had one
  created       bigint NOT NULL
);
CREATE INDEX wallet_shard ON wallet (shard);

-- No constraint on the data: the server's log would quote the row.
CREATE TABLE secret (
  wallet        bigint PRIMARY KEY REFERENCES wallet ON DELETE CASCADE,
  format        smallint NOT NULL,  -- 0: plain, 1: encrypted with the passphrase
  data          bytea NOT NULL
);

CREATE TABLE key_chain (
  wallet        bigint NOT NULL REFERENCES wallet ON DELETE CASCADE,
  chain         smallint NOT NULL,  -- number in the wallet, from 0
  descriptor    text NOT NULL,
  is_change     boolean NOT NULL,
  watched       bigint NOT NULL,    -- scripts 0 to watched - 1 are watched
  last_used     bigint,             -- highest index seen in a transaction
  next_unissued bigint NOT NULL,    -- lowest index never handed out
  PRIMARY KEY (wallet, chain)
);

-- What is watched, so that nothing is derived again at a start.
CREATE TABLE script (
  wallet        bigint NOT NULL,
  chain         smallint NOT NULL,
  index         integer NOT NULL,
  script        bytea NOT NULL,     -- the scriptPubKey
  PRIMARY KEY (wallet, chain, index),
  FOREIGN KEY (wallet, chain) REFERENCES key_chain ON DELETE CASCADE
);
CREATE INDEX script_owner ON script USING hash (script);  -- whose is it?

-- Once for all wallets that a transaction concerns; what it is never changes.
CREATE TABLE tx (
  txid          bytea PRIMARY KEY CHECK (octet_length(txid) = 32),
  raw           bytea NOT NULL,
  coinbase      boolean NOT NULL
);
CREATE TABLE tx_input (
  txid          bytea NOT NULL REFERENCES tx ON DELETE CASCADE,
  input         integer NOT NULL,   -- its place in the transaction, from 0
  spent_txid    bytea NOT NULL,     -- the output that it spends
  spent_vout    bigint NOT NULL,
  PRIMARY KEY (txid, input)
);
CREATE INDEX tx_input_spent ON tx_input (spent_txid, spent_vout);

CREATE TABLE wallet_tx (
  wallet        bigint NOT NULL REFERENCES wallet ON DELETE CASCADE,
  txid          bytea NOT NULL REFERENCES tx,
  number        bigint GENERATED ALWAYS AS IDENTITY,  -- in the order of arrival
  block_height  integer,            -- null, as all of the block: not in one
  block_hash    bytea,
  block_time    bigint,
  block_index   bigint,             -- position in the block
  first_seen    bigint NOT NULL,
  sequence      bigint NOT NULL,    -- grows with each sighting outside a block
  proof         bytea NOT NULL,     -- the merkleblock that proves the confirmation; empty: none
  seen_at       integer NOT NULL,   -- height of the best chain when it was last seen outside a block
  send_state    smallint,           -- 0 not sent, 1 announced, 2 fetched, 3 accepted, 4 uncertain, 5 abandoned; null: not ours
  peers_accepted bigint,
  told_state    text,               -- what the last event said: unconfirmed, confirmed, conflicted, …; null: none yet
  told_net      bigint,             -- and its sum
  told_block    bytea,              -- and its block
  PRIMARY KEY (wallet, txid),
  CHECK ((block_height IS NULL) = (block_hash IS NULL) AND (block_height IS NULL) = (block_time IS NULL)
     AND (block_height IS NULL) = (block_index IS NULL)),
  CHECK ((send_state IS NULL) = (peers_accepted IS NULL))
);
CREATE INDEX wallet_tx_txid ON wallet_tx (txid);

-- Every output of ours, spent or not: whether it is spent follows from tx_input and wallet_tx, and needs no keeping.
CREATE TABLE coin (
  wallet        bigint NOT NULL,
  txid          bytea NOT NULL,
  vout          bigint NOT NULL,
  amount        bigint NOT NULL,
  chain         smallint NOT NULL,  -- the script that it pays
  index         integer NOT NULL,
  PRIMARY KEY (wallet, txid, vout),
  FOREIGN KEY (wallet, txid) REFERENCES wallet_tx ON DELETE CASCADE
);

-- Written for each wallet at each block: room in each page keeps that from touching the index.
CREATE TABLE scan (
  wallet        bigint PRIMARY KEY REFERENCES wallet ON DELETE CASCADE,
  height        integer NOT NULL,   -- all blocks from the birthday to this one are scanned
  hash          bytea NOT NULL,
  backfill_from integer,            -- but for these, which are scanned again for scripts that were not watched then
  backfill_to   integer,
  anchors       bytea NOT NULL,     -- some scanned blocks: where a reorganisation is found again
  attested      bytea NOT NULL,     -- on whose word the scanned blocks rest
  peers         bigint NOT NULL,    -- how many have said that the block is on their best chain
  time          bigint NOT NULL,    -- of the block; 0: not known
  CHECK ((backfill_from IS NULL) = (backfill_to IS NULL))
) WITH (fillfactor = 60);

CREATE TABLE label (
  wallet        bigint NOT NULL REFERENCES wallet ON DELETE CASCADE,
  type          text COLLATE "C" NOT NULL,  -- tx, addr, pubkey, input, output, xpub (BIP329)
  ref           text COLLATE "C" NOT NULL,
  label         text NOT NULL,
  origin        text NOT NULL,
  spendable     boolean,                    -- of an output; null: not said
  PRIMARY KEY (wallet, type, ref)
);
)sql";

constexpr std::string_view kEvents = R"sql(
-- No reference to the wallet: what happened stays when it is deleted.
CREATE TABLE event (
  seq           bigint PRIMARY KEY,  -- without gaps, in the order of the commits
  wallet        bigint NOT NULL,
  txid          bytea,
  state         text NOT NULL,
  net           bigint,              -- what it changes in the balance
  block_height  integer,
  block_hash    bytea,
  block_time    bigint,
  data          bytea NOT NULL,      -- all of it, as the program reads it; the columns before are for queries
  time          bigint NOT NULL      -- when it was written
);
CREATE INDEX event_wallet ON event (wallet, seq);

-- The names of deleted wallets that have events.
CREATE TABLE removed_wallet (
  id            bigint PRIMARY KEY,
  name          text COLLATE "C" NOT NULL,
  removed       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX removed_wallet_name ON removed_wallet (name);

-- One row, taken last in a transaction: who holds it commits before the next number is given. A sequence would let a
-- reader pass number 7 while 6 is not committed yet.
CREATE TABLE counter (
  one           boolean PRIMARY KEY DEFAULT true CHECK (one),
  last_event    bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO counter (last_event) VALUES (0);

CREATE TABLE consumer (
  name          text COLLATE "C" PRIMARY KEY,
  seq           bigint NOT NULL,     -- the last event that it is done with
  updated       timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE webhook (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  url           text NOT NULL,
  secret        bytea NOT NULL,      -- with which each call is signed
  wallet        bigint REFERENCES wallet ON DELETE CASCADE,  -- null: the events of all
  seq           bigint NOT NULL,     -- the last event that was delivered
  failures      integer NOT NULL DEFAULT 0,                  -- in a row
  next_try      timestamptz,
  last_error    text,
  created       timestamptz NOT NULL DEFAULT clock_timestamp()
);
)sql";

// See leases.h.
constexpr std::string_view kWorkers = R"sql(
CREATE TABLE worker (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text NOT NULL,       -- for people
  shares        boolean NOT NULL,    -- it takes its share of all shards; else only those of the wallets that it opens
  started       timestamptz NOT NULL DEFAULT clock_timestamp(),
  alive_until   timestamptz NOT NULL
);

CREATE TABLE shard (
  id            smallint PRIMARY KEY CHECK (id BETWEEN 0 AND 255),
  worker        bigint REFERENCES worker,  -- null: nobody's
  epoch         bigint NOT NULL,           -- grows with each change of the worker
  lease_until   timestamptz,
  CHECK ((worker IS NULL) = (lease_until IS NULL))
) WITH (fillfactor = 30);
INSERT INTO shard (id, epoch) SELECT n, 0 FROM generate_series(0, 255) AS n;

-- Fails unless the worker holds all of these shards, each in its epoch, and keeps them from being taken until the end of
-- the transaction. A key share does not wait for a renewal of the lease, which changes no key, but it keeps out who
-- takes a shard over, who locks the row for update.
CREATE FUNCTION hold_shards(holder bigint, shards smallint[], epochs bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  held bigint;
BEGIN
  PERFORM 1 FROM shard JOIN unnest(shards, epochs) AS wanted (id, epoch) USING (id, epoch)
    WHERE shard.worker = holder ORDER BY shard.id FOR KEY SHARE OF shard;
  GET DIAGNOSTICS held = ROW_COUNT;
  IF held IS DISTINCT FROM cardinality(shards) THEN
    RAISE EXCEPTION 'a shard is not held by worker %', holder USING ERRCODE = 'SPV01';
  END IF;
END
$$;
)sql";

// For people's own queries.
constexpr std::string_view kViews = R"sql(
-- A hash as it is shown everywhere, and back.
CREATE FUNCTION display_hash(hash bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT string_agg(encode(substr(hash, n, 1), 'hex'), '' ORDER BY n DESC) FROM generate_series(1, octet_length(hash)) AS n
$$;
CREATE FUNCTION stored_hash(shown text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT decode(string_agg(substr(shown, 2 * n - 1, 2), '' ORDER BY n DESC), 'hex')
    FROM generate_series(1, length(shown) / 2) AS n
$$;

-- Where each transaction of a wallet stands; one that is neither confirmed nor unconfirmed counts nowhere. The block
-- says more than the last event: while a wallet catches up there are no events.
CREATE VIEW tx_state AS
SELECT wallet, txid, block_height, state, state IN ('confirmed', 'unconfirmed') AS counts
  FROM (SELECT wallet, txid, block_height,
               CASE WHEN block_height IS NOT NULL THEN 'confirmed'
                    WHEN send_state = 0 THEN 'not-sent'
                    WHEN tx.coinbase THEN 'conflicted'
                    ELSE coalesce(nullif(told_state, 'confirmed'), 'unconfirmed') END AS state
          FROM wallet_tx JOIN tx USING (txid)) AS stated;

-- What each transaction takes from a wallet: its inputs that spend the wallet's outputs.
CREATE VIEW spend AS
SELECT coin.wallet, tx_input.txid, coin.txid AS spent_txid, coin.vout AS spent_vout, coin.amount, tx_state.counts,
       tx_state.state
  FROM coin
  JOIN tx_input ON tx_input.spent_txid = coin.txid AND tx_input.spent_vout = coin.vout
  JOIN tx_state ON tx_state.wallet = coin.wallet AND tx_state.txid = tx_input.txid;

CREATE VIEW utxo AS
SELECT wallet.name AS wallet, display_hash(coin.txid) AS txid, coin.vout, coin.amount, tx_state.block_height,
       CASE WHEN tx_state.block_height IS NULL THEN 0
            ELSE greatest(scan.height - tx_state.block_height + 1, 1) END AS confirmations,
       tx.coinbase, label.spendable IS NOT DISTINCT FROM false AS frozen, coin.chain, coin.index, script.script
  FROM coin
  JOIN wallet ON wallet.id = coin.wallet
  JOIN scan ON scan.wallet = coin.wallet
  JOIN tx USING (txid)
  JOIN tx_state ON tx_state.wallet = coin.wallet AND tx_state.txid = coin.txid AND tx_state.counts
  LEFT JOIN script ON script.wallet = coin.wallet AND script.chain = coin.chain AND script.index = coin.index
  LEFT JOIN label ON label.wallet = coin.wallet AND label.type = 'output'
                 AND label.ref = display_hash(coin.txid) || ':' || coin.vout
 WHERE NOT EXISTS (SELECT FROM spend WHERE spend.wallet = coin.wallet AND spend.spent_txid = coin.txid
                      AND spend.spent_vout = coin.vout AND spend.counts);

-- In satoshis. As `spv balance` has it: unconfirmed is what the unconfirmed transactions change, and may be negative.
CREATE VIEW balance AS
SELECT wallet.name AS wallet, coalesce(sums.confirmed, 0)::bigint AS confirmed,
       coalesce(sums.unconfirmed, 0)::bigint AS unconfirmed, coalesce(sums.immature, 0)::bigint AS immature,
       (coalesce(sums.confirmed, 0) + coalesce(sums.unconfirmed, 0) + coalesce(sums.immature, 0))::bigint AS total
  FROM wallet
  LEFT JOIN LATERAL (
    SELECT sum(amount) FILTER (WHERE in_block AND NOT immature) AS confirmed,
           sum(amount) FILTER (WHERE in_block AND immature) AS immature,
           sum(CASE WHEN in_block THEN 0 ELSE amount END - CASE WHEN spent THEN amount ELSE 0 END) AS unconfirmed
      FROM (SELECT coin.amount, tx_state.block_height IS NOT NULL AS in_block,
                   tx.coinbase AND scan.height - tx_state.block_height + 1 < 100 AS immature,
                   EXISTS (SELECT FROM spend WHERE spend.wallet = coin.wallet AND spend.spent_txid = coin.txid
                              AND spend.spent_vout = coin.vout AND spend.state = 'unconfirmed') AS spent
              FROM coin
              JOIN scan ON scan.wallet = coin.wallet
              JOIN tx USING (txid)
              JOIN tx_state ON tx_state.wallet = coin.wallet AND tx_state.txid = coin.txid AND tx_state.counts
             WHERE coin.wallet = wallet.id
               AND NOT EXISTS (SELECT FROM spend WHERE spend.wallet = coin.wallet AND spend.spent_txid = coin.txid
                                  AND spend.spent_vout = coin.vout AND spend.state = 'confirmed')) AS coins) AS sums ON true;

CREATE VIEW history AS
SELECT wallet.name AS wallet, display_hash(wallet_tx.txid) AS txid, tx_state.state,
       (coalesce(received.amount, 0) - coalesce(sent.amount, 0))::bigint AS net, wallet_tx.block_height,
       display_hash(wallet_tx.block_hash) AS block_hash, to_timestamp(wallet_tx.block_time) AS block_time,
       CASE WHEN wallet_tx.first_seen > 0 THEN to_timestamp(wallet_tx.first_seen) END AS first_seen, label.label,
       (ARRAY['not-sent', 'announced', 'fetched', 'accepted', 'uncertain', 'abandoned'])[wallet_tx.send_state + 1]
         AS send_state
  FROM wallet_tx
  JOIN wallet ON wallet.id = wallet_tx.wallet
  JOIN tx_state ON tx_state.wallet = wallet_tx.wallet AND tx_state.txid = wallet_tx.txid
  LEFT JOIN LATERAL (SELECT sum(coin.amount) AS amount FROM coin
                      WHERE coin.wallet = wallet_tx.wallet AND coin.txid = wallet_tx.txid) AS received ON true
  LEFT JOIN LATERAL (SELECT sum(coin.amount) AS amount
                       FROM tx_input JOIN coin ON coin.wallet = wallet_tx.wallet AND coin.txid = tx_input.spent_txid
                                              AND coin.vout = tx_input.spent_vout
                      WHERE tx_input.txid = wallet_tx.txid) AS sent ON true
  LEFT JOIN label ON label.wallet = wallet_tx.wallet AND label.type = 'tx'
                 AND label.ref = display_hash(wallet_tx.txid)
 -- A stranger's double spend of a payment to the wallet is kept too, but is not of its history.
 WHERE received.amount IS NOT NULL OR sent.amount IS NOT NULL;
)sql";

// What is told besides transactions. Of the wallets that are there nothing is told for that.
constexpr std::string_view kMoreEvents = R"sql(
ALTER TABLE wallet ADD COLUMN synced boolean NOT NULL DEFAULT true;  -- that was told since it was added or rescanned
ALTER TABLE wallet ALTER COLUMN synced SET DEFAULT false;

ALTER TABLE event ALTER COLUMN wallet DROP NOT NULL;  -- null of events of the chain
ALTER TABLE event ALTER COLUMN state DROP NOT NULL;   -- the same
ALTER TABLE event ADD COLUMN type text NOT NULL DEFAULT 'tx';  -- tx, tip, reorg, wallet
ALTER TABLE event ALTER COLUMN type DROP DEFAULT;
ALTER TABLE event ADD COLUMN old_hash bytea;          -- of a reorganisation: the tip before it

-- The tip that was told last, by whichever worker, and the chain below it.
CREATE TABLE told_tip (
  one           boolean PRIMARY KEY DEFAULT true CHECK (one),
  height        integer NOT NULL,
  hash          bytea NOT NULL,
  work          text NOT NULL        -- of all blocks up to it, in hex
);
CREATE TABLE told_block (
  height        integer PRIMARY KEY,
  hash          bytea NOT NULL
);
)sql";

constexpr std::string_view kErrands = R"sql(
CREATE TABLE errand (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  shard    smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  wallet   text NOT NULL,
  kind     text NOT NULL CHECK (octet_length(kind) <= 64),
  body     text NOT NULL CHECK (octet_length(body) <= 1048576),
  state    text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'taken', 'done', 'withdrawn')),
  answer   text CHECK (octet_length(answer) <= 1048576),
  created  timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires  timestamptz NOT NULL,  -- nobody takes it after that
  CHECK ((state = 'done') = (answer IS NOT NULL))
);
CREATE INDEX errand_waiting ON errand (shard) WHERE state = 'waiting';
CREATE INDEX errand_expires ON errand (expires);

ALTER TABLE worker
  ADD COLUMN host     text NOT NULL DEFAULT '',
  ADD COLUMN wallets  integer NOT NULL DEFAULT 0,  -- that it follows
  ADD COLUMN height   integer,                     -- the highest block that it has scanned
  ADD COLUMN seen     timestamptz NOT NULL DEFAULT clock_timestamp();
)sql";

constexpr std::array kMigrations{kWallets, kEvents, kWorkers, kViews, kMoreEvents, kErrands};

}  // namespace

std::span<const std::string_view> migrations() { return kMigrations; }

}  // namespace spv::store::postgres
