/* spv.h: the C ABI of libspv, a Bitcoin SPV (BIP37) client.
 *
 * Conventions. Functions return 0 or a negative spv_error; spv_last_error(client) returns the message. Results are
 * returned through out-parameters. The caller sets `struct_size` of every struct it passes: a newer library never
 * writes beyond it and uses defaults for missing fields; an older one refuses a field it does not know
 * (SPV_ERR_UNSUPPORTED) unless it is zero. A struct without its size is refused. Returned strings are UTF-8,
 * zero-terminated, and owned by the object they came with; those returned through `char **` must be freed with
 * spv_free. Amounts are in satoshis.
 *
 * Threads. After spv_start the library runs one thread of its own, and every function may be called from any thread,
 * with two exceptions: each client has one reader of spv_next_event, and spv_close must be the last call. First call
 * spv_interrupt, which wakes all who wait for events, then join those threads, then close. The wake callback runs on
 * the library's thread and may only signal. Once spv_set_wake has returned, the previous callback is not called again.
 */
#ifndef SPV_SPV_H
#define SPV_SPV_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SPV_API __attribute__((visibility("default")))
#else
#define SPV_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Error codes. */
typedef enum spv_error {
  SPV_OK = 0,
  SPV_ERR_INVALID_ARGUMENT = -1, /**< an argument is invalid */
  SPV_ERR_NOT_FOUND = -2,        /**< no such wallet, transaction or address */
  SPV_ERR_EXISTS = -3,           /**< a wallet with that name exists */
  SPV_ERR_LOCKED = -4,           /**< another process is writing to this wallet */
  SPV_ERR_DAMAGED = -5,          /**< a file is damaged, or was written by a newer version */
  SPV_ERR_STORAGE = -6,          /**< the disk is full, read-only, or failed */
  SPV_ERR_WRONG_NETWORK = -7,    /**< for another network */
  SPV_ERR_NETWORK = -8,          /**< no usable peer */
  SPV_ERR_STATE = -9,            /**< already started, not started, or not allowed in a callback */
  SPV_ERR_SECRET = -10,          /**< wrong passphrase or invalid mnemonic */
  SPV_ERR_UNSUPPORTED = -11,     /**< not part of this build */
  SPV_ERR_INVALID_PROOF = -12,   /**< invalid proof */
  SPV_ERR_BUDGET = -13,          /**< the byte budget is used up */
  SPV_ERR_INTERNAL = -14,        /**< a bug in the library */
  SPV_ERR_TIMEOUT = -15,         /**< no event arrived in time, or the sync timed out */
  SPV_ERR_CLOCK = -16,           /**< this machine's clock is behind the chain */
  SPV_ERR_REFUSED = -17,         /**< the payment is not made: funds, fee, dust, a coin that is not free */
  SPV_ERR_INVALID_PSBT = -18     /**< invalid PSBT or transaction, or signatures are missing */
} spv_error;

/** The Bitcoin network; it must be set: 0 is refused. */
typedef enum spv_network {
  SPV_NETWORK_TESTNET = 1,
  SPV_NETWORK_TESTNET4 = 2,
  SPV_NETWORK_SIGNET = 3,
  SPV_NETWORK_REGTEST = 4,
  SPV_NETWORK_MAIN = 5
} spv_network;

/** Transport protocol: encrypted (BIP324) if the peer supports it, always unencrypted, or always encrypted. */
typedef enum spv_transport { SPV_TRANSPORT_AUTO = 0, SPV_TRANSPORT_V1 = 1, SPV_TRANSPORT_V2 = 2 } spv_transport;

/** Which blocks are also requested from a second peer, so that no peer can omit a payment. */
typedef enum spv_cross_check {
  SPV_CROSS_CHECK_SAMPLE = 0, /**< those with transactions of the wallets, and one in twenty of the others */
  SPV_CROSS_CHECK_OFF = 1,
  SPV_CROSS_CHECK_FULL = 2 /**< all */
} spv_cross_check;

/** What is requested from peers. */
typedef enum spv_source {
  SPV_SOURCE_FILTER = 0, /**< filtered blocks */
  SPV_SOURCE_BLOCKS = 1, /**< full blocks, matched locally */
  SPV_SOURCE_AUTO = 2,   /**< whichever is faster */
  SPV_SOURCE_COMPACT = 3 /**< compact block filters (BIP157), matched locally */
} spv_source;

/** A client: a data directory, its open wallets, and their sync. */
typedef struct spv_client spv_client;
/** A list of coins, transactions, addresses or names; a snapshot. */
typedef struct spv_list spv_list;

/** Settings of a client. Zero always means the default. */
typedef struct spv_options {
  size_t struct_size;
  const char* data_dir;     /**< created with mode 0700 if it does not exist */
  int32_t network;          /**< spv_network */
  const char* const* peers; /**< HOST, HOST:PORT or [IPV6]:PORT; if set, no others are used */
  size_t peer_count;        /**< length of `peers`; if it is empty, number of connections (0: eight) */
  const char* proxy;        /**< HOST[:PORT] of a SOCKS5 proxy */
  double fp_rate;           /**< false positive rate of the filter */
  int32_t mempool_wait_ms;  /**< 0: ten seconds; negative: do not request unconfirmed transactions */
  int32_t once;             /**< not 0: end when all wallets are scanned instead of following the tip */
  int32_t whole_blocks;     /**< not 0: same as SPV_SOURCE_BLOCKS, for your own node */
  uint64_t byte_budget;     /**< end the sync after this many bytes, sent and received */
  int32_t transport;        /**< spv_transport */
  int32_t cross_check;      /**< spv_cross_check */
  int32_t source;           /**< spv_source */
  /** With SPV_TRANSPORT_AUTO: use v1, which is faster, for a node on this machine: 1 always, -1 never, 0 if full blocks
   * may be used. */
  int32_t plain_on_loopback;
  uint64_t max_download; /**< bytes of full blocks that SPV_SOURCE_AUTO may download from outside the local network */
  int64_t timeout_ms;    /**< end the sync this long after spv_start or spv_resume, with SPV_ERR_TIMEOUT */
  int32_t skip_clock_check; /**< not 0: start even if the clock is hours behind a known block (SPV_ERR_CLOCK) */
  uint32_t reserved;        /**< 0 */
  /** postgresql://USER@HOST/NAME: wallets and events are in this database; null: in files of data_dir. */
  const char* database;
  /** Not 0: open wallets by itself: all of data_dir, or of a database this process's share of all. */
  int32_t follow_all;
  /** Not 0, with SPV_SOURCE_FILTER: do not use compact block filters where a node on the local network offers them, or
   * where no peer offers bloom filters. */
  int32_t only_bloom_filters;
} spv_options;

/** Settings of a new wallet. Zero always means the default. */
typedef struct spv_wallet_options {
  size_t struct_size;
  const char* script; /**< pkh, sh-wpkh, wpkh (default), tr or all */
  uint32_t account;
  uint32_t gap_limit;     /**< 0: 20 */
  int32_t has_birthday;   /**< 1: `birthday` is a height; 2: it is a Unix time */
  int64_t birthday;       /**< scan from this block */
  const char* passphrase; /**< encrypts the seed on disk; null and a size of 0: none */
  size_t passphrase_size;
  const char* bip39_passphrase;
  size_t bip39_passphrase_size;
  uint32_t words;    /**< 0: 12 */
  uint32_t reserved; /**< 0 */
} spv_wallet_options;

/** The balance of a wallet. */
typedef struct spv_balance {
  size_t struct_size;
  int64_t confirmed;
  int64_t unconfirmed; /**< net effect of unconfirmed transactions; may be negative */
  int64_t immature;
  int64_t total;
} spv_balance;

/** An unspent output. */
typedef struct spv_coin {
  size_t struct_size;
  const char* txid;
  const char* address; /**< empty if the script has no address */
  const char* path;
  int64_t amount;
  int32_t height; /**< -1 while unconfirmed */
  uint32_t vout;
  uint32_t confirmations;
  int32_t spendable;
} spv_coin;

/** State of a transaction. */
typedef enum spv_tx_state { SPV_TX_CONFIRMED = 0, SPV_TX_UNCONFIRMED = 1, SPV_TX_CONFLICTED = 2 } spv_tx_state;

/** A transaction of the wallet. */
typedef struct spv_tx {
  size_t struct_size;
  const char* txid;
  const char* block; /**< empty while unconfirmed */
  int64_t time;
  int64_t net;
  int64_t fee;    /**< -1 if unknown */
  int32_t height; /**< -1 while unconfirmed */
  uint32_t confirmations;
  int32_t state;           /**< spv_tx_state */
  uint32_t reserved;       /**< 0 */
  const char* replaced_by; /**< of a conflicted one: the transaction that counts instead; empty if not known */
} spv_tx;

/** An address of the wallet. */
typedef struct spv_address {
  size_t struct_size;
  const char* address;
  const char* path;
  int64_t received;
  int32_t used;
  uint32_t reserved; /**< 0 */
} spv_address;

/** Event types, and the fields that each one sets. */
typedef enum spv_event_type {
  SPV_EVENT_PROGRESS = 1,    /**< height: headers; scanned; peers; bytes_in, bytes_out */
  SPV_EVENT_TIP = 2,         /**< height, hash */
  SPV_EVENT_TRANSACTION = 3, /**< wallet, txid, net, height and hash of its block (-1, empty), state; on disk */
  SPV_EVENT_REORG = 4,       /**< hash: the new tip; other: the old tip; height: of the fork */
  SPV_EVENT_CONFLICT = 5,    /**< the same for a conflicted one; other: what replaced it, or empty */
  SPV_EVENT_PEER = 6,        /**< other: its address; message: "connected", or the reason for disconnecting */
  SPV_EVENT_WARNING = 7,     /**< message */
  SPV_EVENT_SYNCED = 8,      /**< height: all wallets are scanned up to it */
  SPV_EVENT_STOPPED = 9,     /**< code: 0 (everything is scanned, or spv_stop) or an spv_error; message */
  SPV_EVENT_BROADCAST = 10,  /**< wallet, or empty; txid; state; peers: that accepted it; is_final */
  SPV_EVENT_FEES = 11,       /**< after spv_request_fees: fee_floor, fee_estimate; peers: how many were heard */
  SPV_EVENT_WALLET = 12      /**< only in the log: wallet, state */
} spv_event_type;

/** What became of a wallet. */
typedef enum spv_wallet_event_state {
  SPV_WALLET_EVENT_ADDED = 0,
  SPV_WALLET_EVENT_SYNCED = 1, /**< scanned to the tip for the first time since it was added or rescanned */
  SPV_WALLET_EVENT_REMOVED = 2
} spv_wallet_event_state;

/** Where a transaction of a wallet stands. */
typedef enum spv_tx_event_state {
  SPV_TX_EVENT_UNCONFIRMED = 0,
  SPV_TX_EVENT_CONFIRMED = 1,
  SPV_TX_EVENT_CONFLICTED = 2, /**< another one counts instead */
  SPV_TX_EVENT_FORGOTTEN = 3,  /**< no peer has reported it for 2,016 blocks */
  SPV_TX_EVENT_LOCKED = 4,     /**< no block may contain it yet */
  SPV_TX_EVENT_ABANDONED = 5   /**< given up by its user */
} spv_tx_event_state;

/** What is known of a transaction that was sent, the stronger the evidence the later. */
typedef enum spv_broadcast_state {
  SPV_BROADCAST_UNCERTAIN = 0, /**< no peer has taken it yet; it is sent again */
  SPV_BROADCAST_ANNOUNCED = 1, /**< a peer was told */
  SPV_BROADCAST_FETCHED = 2,   /**< a peer took it, but may have refused it */
  SPV_BROADCAST_ACCEPTED = 3,  /**< a peer that it was not sent to has it */
  SPV_BROADCAST_CONFIRMED = 4  /**< a block has it */
} spv_broadcast_state;

/** An event of the log; strings are valid as long as its list. `type` says which fields are set; the others are empty,
 * 0 or, as height, -1. SPV_EVENT_TRANSACTION: as below. SPV_EVENT_TIP: height, block. SPV_EVENT_REORG: block: the new
 * tip; other: the old tip; height: of the fork. SPV_EVENT_WALLET: wallet, state. */
typedef struct spv_logged_event {
  size_t struct_size;
  int64_t seq;  /**< only grows */
  int64_t time; /**< when it was stored */
  const char* wallet;
  const char* txid;
  const char* block;       /**< hash; empty unless confirmed */
  const char* replaced_by; /**< of a conflicted one, if known; else empty */
  int64_t net;
  int32_t height; /**< -1 unless confirmed */
  int32_t state;  /**< spv_tx_event_state or spv_wallet_event_state */
  size_t output_count;
  int32_t type; /**< spv_event_type */
  int32_t reserved;
  const char* other;
} spv_logged_event;

/** An output of it that pays the wallet. */
typedef struct spv_paid_output {
  size_t struct_size;
  const char* address; /**< empty if the script has none */
  int64_t amount;
  uint32_t vout;
  uint32_t chain; /**< which of the wallet's descriptors: receive before change */
  uint32_t index; /**< index of the address in it */
  uint32_t reserved;
} spv_paid_output;

/** One event. spv_event_type says which fields are set. Strings are valid until the next spv_next_event. */
typedef struct spv_event {
  size_t struct_size;
  int32_t type; /**< spv_event_type */
  int32_t code;
  const char* wallet;
  const char* txid;
  const char* hash;
  const char* other;
  const char* message;
  int64_t net;
  int32_t height;
  int32_t scanned;
  uint32_t peers;
  uint64_t bytes_in;
  uint64_t bytes_out;
  int32_t state;        /**< spv_broadcast_state or spv_tx_event_state */
  int32_t is_final;     /**< not 0: nothing more is waited for */
  int64_t fee_floor;    /**< below it most peers relay nothing; satoshis per 1,000 virtual bytes; 0: unknown */
  int64_t fee_estimate; /**< what recent blocks earned; the same */
} spv_event;

/** The amount of a recipient that takes all that is left. */
#define SPV_AMOUNT_ALL (-1)

/** Who is paid. */
typedef struct spv_recipient {
  const char* address;
  int64_t amount; /**< in satoshis; SPV_AMOUNT_ALL for one recipient at most */
} spv_recipient;

/** What to pay, and how. Zero always means the default. */
typedef struct spv_payment_options {
  size_t struct_size;
  const spv_recipient* recipients;
  size_t recipient_count;
  int64_t fee_rate;         /**< satoshis per 1,000 virtual bytes; 0: by the last SPV_EVENT_FEES */
  const char* const* coins; /**< TXID:VOUT; if set, exactly these coins are spent */
  size_t coin_count;
  const char* change;        /**< address that takes the change; null: a new one of the wallet */
  int32_t subtract_fee;      /**< not 0: the recipients pay the fee, in equal parts */
  int32_t spend_unconfirmed; /**< not 0: also coins of unconfirmed transactions that others made */
  int32_t allow_high_fee;    /**< not 0: a fee above 25% of the amount */
  int32_t allow_low_fee;     /**< not 0: a rate below what the peers relay */
  uint32_t psbt_version;     /**< 0 or 2 */
  uint32_t reserved;         /**< 0 */
} spv_payment_options;

/** A payment: created and not signed, or sent. Free it with spv_payment_free. */
typedef struct spv_payment spv_payment;

/** What a payment is. Strings are valid as long as the payment. */
typedef struct spv_payment_info {
  size_t struct_size;
  const char* txid;
  const char* hex;  /**< the transaction; of a created one without signatures */
  const char* psbt; /**< base64, of a created one; else empty */
  int64_t fee;
  int64_t vsize; /**< once it is signed, at most */
  size_t input_count;
  size_t output_count;
} spv_payment_info;

/** An output of a payment. */
typedef struct spv_payment_output {
  size_t struct_size;
  const char* address; /**< empty if the script has no address */
  int64_t amount;
  int32_t change;
  uint32_t reserved; /**< 0 */
} spv_payment_output;

/** An input of a payment. */
typedef struct spv_payment_input {
  size_t struct_size;
  const char* txid;
  int64_t amount;
  uint32_t vout;
  uint32_t reserved; /**< 0 */
} spv_payment_input;

/** The key that a signature is wanted of. */
typedef struct spv_signer_key {
  size_t struct_size;
  const uint8_t* public_key; /**< 33 or 65 bytes; taproot: the internal key, 32 bytes */
  size_t public_key_size;
  const uint32_t* path; /**< from the master key; hardened steps have the highest bit set */
  size_t path_size;
  uint8_t fingerprint[4]; /**< of the master key */
  int32_t has_origin;     /**< 0: fingerprint and path are not known */
} spv_signer_key;

/** Signs a digest of 32 bytes. *size is the room in `signature` and then its size. Returns 0 if it has signed. */
typedef int (*spv_sign_function)(void* context, const spv_signer_key* key, const uint8_t* digest, uint8_t* signature,
                                 size_t* size);

/** Keys that are held elsewhere: in a hardware wallet, in a phone's key store. Called on the caller's thread, while no
 * lock is held. Every signature is verified. */
typedef struct spv_signer {
  size_t struct_size;
  void* context;
  spv_sign_function ecdsa;   /**< DER with low S, without the byte of the sighash type */
  spv_sign_function schnorr; /**< 64 bytes, by the key with the tweak of BIP341 for no scripts; may be null */
} spv_signer;

/** The library's version, such as "0.1.0". */
SPV_API const char* spv_version(void);
/** A name for an error, such as "not found". */
SPV_API const char* spv_error_name(int error);
/** Message of this thread's last failed call, in one line that says what to do; empty if the last call succeeded. Valid
 * until the next call of this thread. `client` may be null. */
SPV_API const char* spv_last_error(const spv_client* client);
/** Wipes and frees a string returned through `char **`. */
SPV_API void spv_free(char* text);

/** Opens a data directory. *out is set even on failure if memory allows, for spv_last_error; always close it. */
SPV_API int spv_open(const spv_options* options, spv_client** out);
/** Stops the sync, saves everything, and frees the client. Null is allowed. Do not call it from a callback. */
SPV_API void spv_close(spv_client* client);

/** Creates a wallet from new entropy and opens it. *mnemonic is returned only once; free it with spv_free. */
SPV_API int spv_wallet_create(spv_client* client, const char* name, const spv_wallet_options* options, char** mnemonic);
/** Creates a wallet from a BIP39 mnemonic and opens it. */
SPV_API int spv_wallet_restore(spv_client* client, const char* name, const char* mnemonic, size_t mnemonic_size,
                               const spv_wallet_options* options);
/** Creates a watch-only wallet from descriptors and opens it. Write an address as addr(ADDRESS). */
SPV_API int spv_wallet_watch(spv_client* client, const char* name, const char* const* descriptors,
                             size_t descriptor_count, const spv_wallet_options* options);
/** Opens a wallet in the data directory. */
SPV_API int spv_wallet_open(spv_client* client, const char* name);
/** Opens many wallets, which is quicker than one by one. All or none: if one cannot be opened, none is. */
SPV_API int spv_wallets_open(spv_client* client, const char* const* names, size_t count);
/** Closes a wallet: it is no longer watched. */
SPV_API int spv_wallet_close(spv_client* client, const char* name);

/** Syncs all open wallets, including those opened later, on a thread of the library. Restarts a sync that ended by
 * itself. */
SPV_API int spv_start(spv_client* client);
/** Ends the sync. When it returns, everything found is on disk. Sends SPV_EVENT_STOPPED, which wakes a waiting reader,
 * even if nothing was running. */
SPV_API int spv_stop(spv_client* client);
/** Same as spv_stop, for an app that goes to the background. */
SPV_API int spv_pause(spv_client* client);
/** Continues a paused sync. */
SPV_API int spv_resume(spv_client* client);
/** Call this when the network connection changes: drops all peers and reconnects. Does nothing while paused, or after
 * the sync ended by itself. */
SPV_API int spv_network_changed(spv_client* client);
/** Sets the remaining byte budget, from the next start on; 0: unlimited. */
SPV_API int spv_set_byte_budget(spv_client* client, uint64_t bytes);

/** Returns the next event; waits up to timeout_ms (negative: forever). SPV_ERR_TIMEOUT if none arrived. */
SPV_API int spv_next_event(spv_client* client, int timeout_ms, spv_event* event);
/** Wakes all who wait for events, and from now on nobody waits: spv_next_event returns SPV_ERR_TIMEOUT at once if no
 * event is waiting, spv_get_events and spv_get_all_events what there is. Before spv_close, from any thread. */
SPV_API int spv_interrupt(spv_client* client);
/** A file descriptor that is readable while events are waiting; only for poll(). */
SPV_API int spv_event_fd(const spv_client* client);
/** Sets a callback for new events, on the library's thread; null: none. */
SPV_API int spv_set_wake(spv_client* client, void (*wake)(void* context), void* context);

/** The names of all wallets in the data directory, open or not. Free the list with spv_list_free. */
SPV_API int spv_get_wallets(spv_client* client, spv_list** list);
/** The balance of an open wallet. */
SPV_API int spv_get_balance(spv_client* client, const char* wallet, spv_balance* balance);
/** The first unused receive (or change) address; `next` selects one never handed out before. Free it with spv_free. */
SPV_API int spv_get_address(spv_client* client, const char* wallet, int next, int change, char** address);
/** The height up to which the wallet is scanned. */
SPV_API int spv_get_scanned(spv_client* client, const char* wallet, int32_t* height);
/** Unspent outputs. Free this list and those below with spv_list_free. */
SPV_API int spv_get_coins(spv_client* client, const char* wallet, spv_list** list);
/** Transactions, newest first. */
SPV_API int spv_get_history(spv_client* client, const char* wallet, spv_list** list);
/** One transaction of the wallet, as a list of one. */
SPV_API int spv_get_transaction(spv_client* client, const char* wallet, const char* txid, spv_list** list);
/** All addresses that were handed out or used, and those watched beyond them. */
SPV_API int spv_get_addresses(spv_client* client, const char* wallet, spv_list** list);
/** A text that proves that this transaction is in a block. Free it with spv_free. */
SPV_API int spv_get_proof(spv_client* client, const char* wallet, const char* txid, char** proof);
/** Checks such a proof against the local headers. */
SPV_API int spv_verify_proof(spv_client* client, const char* proof, size_t proof_size, int32_t* height,
                             int32_t* confirmations);

/** Number of items; 0 for null. */
SPV_API size_t spv_list_size(const spv_list* list);
/** Strings are valid as long as the list. SPV_ERR_NOT_FOUND beyond its end, SPV_ERR_STATE for a list of another kind.
 */
SPV_API int spv_coin_at(const spv_list* list, size_t index, spv_coin* coin);
SPV_API int spv_tx_at(const spv_list* list, size_t index, spv_tx* tx);
SPV_API int spv_address_at(const spv_list* list, size_t index, spv_address* address);
/** The name is valid as long as the list. */
SPV_API int spv_name_at(const spv_list* list, size_t index, const char** name);
/** Frees a list. Null is allowed. */
SPV_API void spv_list_free(spv_list* list);

/** The event log: each change of a transaction exactly once, on disk with the change, whatever happens to the process.
 * At most `limit` events of transactions above `after`, of one wallet or (null) of all; waits up to `timeout_ms` for
 * one. */
SPV_API int spv_get_events(spv_client* client, int64_t after, size_t limit, int timeout_ms, const char* wallet,
                           spv_list** list);
/** The same for events of every type; of one wallet there are those of transactions and wallets. */
SPV_API int spv_get_all_events(spv_client* client, int64_t after, size_t limit, int timeout_ms, const char* wallet,
                               spv_list** list);
SPV_API int spv_logged_event_at(const spv_list* list, size_t index, spv_logged_event* event);
SPV_API int spv_logged_output_at(const spv_list* list, size_t index, size_t output, spv_paid_output* paid);
/** The stored position of a consumer; 0 for one that has acknowledged nothing. */
SPV_API int spv_consumer_position(spv_client* client, const char* consumer, int64_t* seq);
/** Stores it: the consumer has dealt with all events up to `seq`. It never goes back. */
SPV_API int spv_consumer_acknowledge(spv_client* client, const char* consumer, int64_t seq);

/** Chooses coins and change for a payment. It is not signed and nothing is stored. */
SPV_API int spv_payment_create(spv_client* client, const char* wallet, const spv_payment_options* options,
                               spv_payment** payment);
/** The same for the replacement of an unconfirmed payment at a higher fee rate: signed elsewhere, it goes to
 * spv_broadcast. psbt_version: 0 or 2. */
SPV_API int spv_payment_create_bump(spv_client* client, const char* wallet, const char* txid, int64_t fee_rate,
                                    uint32_t psbt_version, spv_payment** payment);
/** Creates, signs, checks and stores a payment, and sends it; a sync runs. If it fails, nothing was sent. The
 * passphrase of an unencrypted wallet is null with a size of 0. SPV_EVENT_BROADCAST tells what comes of it; one that no
 * peer takes is sent again: do not make it a second time. */
SPV_API int spv_payment_send(spv_client* client, const char* wallet, const spv_payment_options* options,
                             const char* passphrase, size_t passphrase_size, spv_payment** payment);
/** The same, signed by keys that are held elsewhere. */
SPV_API int spv_payment_send_with(spv_client* client, const char* wallet, const spv_payment_options* options,
                                  const spv_signer* signer, spv_payment** payment);
/** Replaces an unconfirmed payment of the wallet by the same one at a higher fee rate. */
SPV_API int spv_payment_bump(spv_client* client, const char* wallet, const char* txid, int64_t fee_rate,
                             const char* passphrase, size_t passphrase_size, spv_payment** payment);
/** The same, signed by keys that are held elsewhere. */
SPV_API int spv_payment_bump_with(spv_client* client, const char* wallet, const char* txid, int64_t fee_rate,
                                  const spv_signer* signer, spv_payment** payment);
/** Replaces an unconfirmed payment of the wallet by one that returns all of it to the wallet. */
SPV_API int spv_payment_cancel(spv_client* client, const char* wallet, const char* txid, int64_t fee_rate,
                               const char* passphrase, size_t passphrase_size, spv_payment** payment);
/** Gives up a payment that no peer has taken: its coins are free again. */
SPV_API int spv_payment_abandon(spv_client* client, const char* wallet, const char* txid);
/** What it is, and its inputs and outputs; SPV_ERR_NOT_FOUND beyond their end. */
SPV_API int spv_payment_get(const spv_payment* payment, spv_payment_info* info);
SPV_API int spv_payment_input_at(const spv_payment* payment, size_t index, spv_payment_input* input);
SPV_API int spv_payment_output_at(const spv_payment* payment, size_t index, spv_payment_output* output);
/** Frees a payment, not what it pays. Null is allowed. */
SPV_API void spv_payment_free(spv_payment* payment);

/** Adds the wallet's signatures to a PSBT. PSBTs are base64; free the results with spv_free. */
SPV_API int spv_psbt_sign(spv_client* client, const char* wallet, const char* psbt, int allow_high_fee,
                          const char* passphrase, size_t passphrase_size, char** out);
/** The same, by keys that are held elsewhere; the wallet may be watch-only. */
SPV_API int spv_psbt_sign_with(spv_client* client, const char* wallet, const char* psbt, int allow_high_fee,
                               const spv_signer* signer, char** out);
/** All signatures that the PSBTs of one transaction have. */
SPV_API int spv_psbt_combine(spv_client* client, const char* const* psbts, size_t count, char** out);
/** Makes scripts and witnesses from the signatures; fails if some are missing. */
SPV_API int spv_psbt_finalize(spv_client* client, const char* psbt, char** out);
/** The transaction of a complete PSBT, in hex. */
SPV_API int spv_psbt_extract(spv_client* client, const char* psbt, char** hex);
/** Sends a finished transaction, in hex or as a complete PSBT; a sync runs. If it spends the coins of an open wallet,
 * it is stored there first. `txid` may be null; else free it with spv_free. */
SPV_API int spv_broadcast(spv_client* client, const char* transaction, char** txid);
/** Asks the peers for their fees; a sync runs. SPV_EVENT_FEES is the answer. */
SPV_API int spv_request_fees(spv_client* client);

#ifdef __cplusplus
}
#endif

#endif /* SPV_SPV_H */
