/* spv.h: the C ABI of libspv, a Bitcoin SPV (BIP37) client.
 *
 * Conventions. Functions give 0 or a negative spv_error; spv_last_error(client) says more. Results come by
 * out-parameters. A struct that is passed has its size in `struct_size`, set by the caller: a newer library never
 * writes beyond it and takes what is missing as its default; an older one refuses a field that it does not know
 * (SPV_ERR_UNSUPPORTED) unless it is zero. A struct whose size was not set is refused. Strings that come out are UTF-8
 * with a zero at the end and belong to what they came with; those that come by `char **` are freed with spv_free.
 * Amounts are satoshis.
 *
 * Threads. After spv_start the library runs one thread of its own, and every function may be called from any thread,
 * except that each client has one reader of spv_next_event, and that spv_close is the last call of all: first
 * spv_stop, whose SPV_EVENT_STOPPED ends a reader that waits, then join the reader, then close. The wake callback comes
 * on the library's thread: it may only signal. Once spv_set_wake has returned, the one before is not called any more.
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

/** What went wrong. */
typedef enum spv_error {
  SPV_OK = 0,
  SPV_ERR_INVALID_ARGUMENT = -1, /**< an argument makes no sense */
  SPV_ERR_NOT_FOUND = -2,        /**< no such wallet, transaction or address */
  SPV_ERR_EXISTS = -3,           /**< a wallet of that name exists */
  SPV_ERR_LOCKED = -4,           /**< another process writes this wallet */
  SPV_ERR_DAMAGED = -5,          /**< a file is damaged, or of a newer version */
  SPV_ERR_STORAGE = -6,          /**< the disk is full, not writable, or failed */
  SPV_ERR_WRONG_NETWORK = -7,    /**< for another network */
  SPV_ERR_NETWORK = -8,          /**< no usable peer */
  SPV_ERR_STATE = -9,            /**< not now */
  SPV_ERR_SECRET = -10,          /**< a wrong passphrase or mnemonic */
  SPV_ERR_UNSUPPORTED = -11,     /**< not part of this build */
  SPV_ERR_INVALID_PROOF = -12,   /**< a proof that does not hold */
  SPV_ERR_BUDGET = -13,          /**< the byte budget is spent */
  SPV_ERR_INTERNAL = -14,        /**< a fault of the library */
  SPV_ERR_TIMEOUT = -15,         /**< no event came in time, or the time for the sync is up */
  SPV_ERR_CLOCK = -16            /**< the clock of this machine is behind the chain */
} spv_error;

/** Which chain. */
typedef enum spv_network {
  SPV_NETWORK_MAIN = 0,
  SPV_NETWORK_TESTNET = 1,
  SPV_NETWORK_TESTNET4 = 2,
  SPV_NETWORK_SIGNET = 3,
  SPV_NETWORK_REGTEST = 4
} spv_network;

/** How peers are spoken with: encrypted where they know how (BIP324), always plain, or always encrypted. */
typedef enum spv_transport { SPV_TRANSPORT_AUTO = 0, SPV_TRANSPORT_V1 = 1, SPV_TRANSPORT_V2 = 2 } spv_transport;

/** Which blocks a second peer is asked for, so that none can hide a payment. */
typedef enum spv_cross_check {
  SPV_CROSS_CHECK_SAMPLE = 0, /**< those with something of the wallets, and one in twenty of the others */
  SPV_CROSS_CHECK_OFF = 1,
  SPV_CROSS_CHECK_FULL = 2 /**< all */
} spv_cross_check;

/** What peers are asked for. */
typedef enum spv_source {
  SPV_SOURCE_FILTER = 0, /**< filtered blocks */
  SPV_SOURCE_BLOCKS = 1, /**< whole blocks, which are matched here */
  SPV_SOURCE_AUTO = 2    /**< what takes less time */
} spv_source;

/** A data directory, its open wallets, and their sync. */
typedef struct spv_client spv_client;
/** Coins, transactions or addresses, as they were when asked for. */
typedef struct spv_list spv_list;

/** How a client works. Zero means the default everywhere. */
typedef struct spv_options {
  size_t struct_size;
  const char* data_dir;     /**< made with mode 0700 if it is not there */
  int32_t network;          /**< spv_network */
  const char* const* peers; /**< HOST, HOST:PORT or [IPV6]:PORT; if any, no others are used */
  size_t peer_count;        /**< how many stand there; without any, how many connections to keep (0: eight) */
  const char* proxy;        /**< HOST[:PORT] of a SOCKS5 proxy */
  double fp_rate;           /**< false positive rate of the filter */
  int32_t mempool_wait_ms;  /**< 0: ten seconds; negative: unconfirmed transactions are not asked for */
  int32_t once;             /**< not 0: end when all wallets are scanned instead of staying at the tip */
  int32_t whole_blocks;     /**< not 0: short for SPV_SOURCE_BLOCKS: for one's own node */
  uint64_t byte_budget;     /**< the sync ends after so many bytes */
  int32_t transport;        /**< spv_transport */
  int32_t cross_check;      /**< spv_cross_check */
  int32_t source;           /**< spv_source */
  /** With SPV_TRANSPORT_AUTO, plain for a node on this machine, which is quicker: 1 always, -1 never, 0 where whole
   * blocks may come. */
  int32_t plain_on_loopback;
  uint64_t max_download;    /**< bytes of whole blocks that SPV_SOURCE_AUTO may take from beyond the local network */
  int64_t timeout_ms;       /**< the sync ends so long after spv_start or spv_resume, with SPV_ERR_TIMEOUT */
  int32_t skip_clock_check; /**< not 0: start though the clock is hours behind a known block (else SPV_ERR_CLOCK) */
  uint32_t reserved;        /**< 0 */
} spv_options;

/** How a wallet is made. Zero means the default everywhere. */
typedef struct spv_wallet_options {
  size_t struct_size;
  const char* script; /**< pkh, sh-wpkh, wpkh (default), tr or all */
  uint32_t account;
  uint32_t gap_limit;     /**< 0: 20 */
  int32_t has_birthday;   /**< 1: `birthday` is a height; 2: it is a Unix time */
  int64_t birthday;       /**< the first block that may concern it */
  const char* passphrase; /**< encrypts the seed at rest; null and a size of 0: none */
  size_t passphrase_size;
  const char* bip39_passphrase;
  size_t bip39_passphrase_size;
  uint32_t words;    /**< 0: 12 */
  uint32_t reserved; /**< 0 */
} spv_wallet_options;

/** The sums of a wallet. */
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
  const char* address; /**< empty where the script has none */
  const char* path;
  int64_t amount;
  int32_t height; /**< -1 while unconfirmed */
  uint32_t vout;
  uint32_t confirmations;
  int32_t spendable;
} spv_coin;

/** Where a transaction stands. */
typedef enum spv_tx_state { SPV_TX_CONFIRMED = 0, SPV_TX_UNCONFIRMED = 1, SPV_TX_CONFLICTED = 2 } spv_tx_state;

/** A transaction of the wallet. */
typedef struct spv_tx {
  size_t struct_size;
  const char* txid;
  const char* block; /**< empty while unconfirmed */
  int64_t time;
  int64_t net;
  int64_t fee;    /**< -1 where unknown */
  int32_t height; /**< -1 while unconfirmed */
  uint32_t confirmations;
  int32_t state;     /**< spv_tx_state */
  uint32_t reserved; /**< 0 */
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

/** What happened. */
typedef enum spv_event_type {
  SPV_EVENT_PROGRESS = 1,    /**< height: headers; scanned; peers; bytes_in, bytes_out */
  SPV_EVENT_TIP = 2,         /**< height, hash */
  SPV_EVENT_TRANSACTION = 3, /**< wallet, txid, net, height (-1 while unconfirmed); on disk already */
  SPV_EVENT_REORG = 4,       /**< hash: the new tip; other: the old one; height: of the fork */
  SPV_EVENT_CONFLICT = 5,    /**< wallet, txid; other: what replaced it, or empty */
  SPV_EVENT_PEER = 6,        /**< other: its address; message: "connected", or why it went */
  SPV_EVENT_WARNING = 7,     /**< message */
  SPV_EVENT_SYNCED = 8,      /**< height: all wallets are scanned up to it */
  SPV_EVENT_STOPPED = 9      /**< code: 0 (all is scanned, or spv_stop) or an spv_error; message */
} spv_event_type;

/** One event; which fields mean something stands at its type. Strings last until the next spv_next_event. */
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
} spv_event;

/** The library's version, such as "0.1.0". */
SPV_API const char* spv_version(void);
/** A name for an error, such as "not found". */
SPV_API const char* spv_error_name(int error);
/** What went wrong last in a call of this thread, in one line that says what to do; empty if nothing did. It lasts
 * until the next call of this thread. `client` may be null. */
SPV_API const char* spv_last_error(const spv_client* client);
/** Frees a string that came by `char **`; it is wiped first. */
SPV_API void spv_free(char* text);

/** Opens a data directory. *out is set whenever memory allows, for spv_last_error; it is always to be closed. */
SPV_API int spv_open(const spv_options* options, spv_client** out);
/** Stops, leaves all on disk, and frees. Null is fine. Not from a callback. */
SPV_API void spv_close(spv_client* client);

/** Makes a wallet from fresh entropy and opens it. *mnemonic is shown once: free it with spv_free. */
SPV_API int spv_wallet_create(spv_client* client, const char* name, const spv_wallet_options* options, char** mnemonic);
/** Makes a wallet from a BIP39 mnemonic and opens it. */
SPV_API int spv_wallet_restore(spv_client* client, const char* name, const char* mnemonic, size_t mnemonic_size,
                               const spv_wallet_options* options);
/** Makes a watch-only wallet from descriptors and opens it; an address stands as addr(ADDRESS). */
SPV_API int spv_wallet_watch(spv_client* client, const char* name, const char* const* descriptors,
                             size_t descriptor_count, const spv_wallet_options* options);
/** Opens a wallet of the data directory. */
SPV_API int spv_wallet_open(spv_client* client, const char* name);
/** Closes it: it is no longer watched. */
SPV_API int spv_wallet_close(spv_client* client, const char* name);

/** Syncs all open wallets, and those opened later, on a thread of the library's. After a sync that ended by itself it
 * starts anew. */
SPV_API int spv_start(spv_client* client);
/** Ends the sync; all that was found is on disk when it returns. SPV_EVENT_STOPPED ends a reader that waits, even if
 * nothing runs. */
SPV_API int spv_stop(spv_client* client);
/** The same, for an app that goes to the background. */
SPV_API int spv_pause(spv_client* client);
/** Goes on as it was started. */
SPV_API int spv_resume(spv_client* client);
/** The way to the network is another one: leaves all peers and connects anew. Nothing happens while it is paused,
 * or after it ended by itself. */
SPV_API int spv_network_changed(spv_client* client);
/** Sets what is left of the byte budget from the next start on; 0: no bound. */
SPV_API int spv_set_byte_budget(spv_client* client, uint64_t bytes);

/** The next event; waits up to timeout_ms for one (negative: without end). SPV_ERR_TIMEOUT if none came. */
SPV_API int spv_next_event(spv_client* client, int timeout_ms, spv_event* event);
/** A descriptor that is readable while events wait; to be polled only. */
SPV_API int spv_event_fd(const spv_client* client);
/** Called after events came, on the library's thread; null: none. */
SPV_API int spv_set_wake(spv_client* client, void (*wake)(void* context), void* context);

/** The names of all wallets in the data directory, open or not. Free the list with spv_list_free. */
SPV_API int spv_get_wallets(spv_client* client, spv_list** list);
/** The sums of an open wallet. */
SPV_API int spv_get_balance(spv_client* client, const char* wallet, spv_balance* balance);
/** The first unused receive (or change) address; `next` moves on. Free it with spv_free. */
SPV_API int spv_get_address(spv_client* client, const char* wallet, int next, int change, char** address);
/** Height up to which the wallet is scanned. */
SPV_API int spv_get_scanned(spv_client* client, const char* wallet, int32_t* height);
/** What it can spend, or will be able to. Free the list with spv_list_free, as those below. */
SPV_API int spv_get_coins(spv_client* client, const char* wallet, spv_list** list);
/** Its transactions, newest first. */
SPV_API int spv_get_history(spv_client* client, const char* wallet, spv_list** list);
/** All that were handed out or used, and those watched ahead. */
SPV_API int spv_get_addresses(spv_client* client, const char* wallet, spv_list** list);
/** A text that proves that a block holds this transaction. Free it with spv_free. */
SPV_API int spv_get_proof(spv_client* client, const char* wallet, const char* txid, char** proof);
/** Checks such a text against the headers verified here. */
SPV_API int spv_verify_proof(spv_client* client, const char* proof, size_t proof_size, int32_t* height,
                             int32_t* confirmations);

/** How many items; 0 for null. */
SPV_API size_t spv_list_size(const spv_list* list);
/** The strings last as long as the list. SPV_ERR_NOT_FOUND beyond its end, SPV_ERR_STATE for a list of other things. */
SPV_API int spv_coin_at(const spv_list* list, size_t index, spv_coin* coin);
SPV_API int spv_tx_at(const spv_list* list, size_t index, spv_tx* tx);
SPV_API int spv_address_at(const spv_list* list, size_t index, spv_address* address);
/** The name lasts as long as the list. */
SPV_API int spv_name_at(const spv_list* list, size_t index, const char** name);
/** Null is fine. */
SPV_API void spv_list_free(spv_list* list);

#ifdef __cplusplus
}
#endif

#endif /* SPV_SPV_H */
