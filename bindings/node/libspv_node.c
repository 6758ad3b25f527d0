/* libspv for Node.js: functions of spv.h as promises, over Node-API.
 *
 * call(client, name, arguments...) runs one function on Node's thread pool; kFunctions says which there are, what
 * arguments they take and what they return. Nothing blocks the event loop, and no thread of the library calls into
 * JavaScript: the loop watches the library's event descriptor. index.js makes a class of it.
 */
#define _GNU_SOURCE
#define NAPI_VERSION 8
#include <node_api.h>
#include <pthread.h>
#include <spv/spv.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { kMaxArguments = 24, kMessageSize = 1024, kSignatureSize = 80 };

/* A signature that is wanted of JavaScript; on the list of its client until it is there or nobody waits any more. */
typedef struct request {
  struct request* next;
  uint32_t id;
  bool schnorr, done;
  spv_signer_key key;
  uint8_t digest[32];
  uint8_t signature[kSignatureSize];
  size_t size; /* 0: refused */
} request;

typedef struct client {
  napi_env env;
  spv_client* spv;
  bool closing;  /* no new calls; of the JavaScript thread */
  int jobs;      /* calls whose promise is not settled; of the JavaScript thread */
  int executing; /* calls inside the library; of the mutex, like what follows */
  bool dead;     /* the process or the worker ends: whoever waits for JavaScript gives up */
  request* requests;
  uint32_t last_id;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uv_poll_t* poll;
  napi_ref on_readable;
  napi_async_context context;
  napi_async_cleanup_hook_handle hook;
  bool freed; /* by JavaScript's garbage collector */
} client;

typedef struct argument {
  char* text; /* null: not given */
  size_t size;
  bool secret;
  int64_t number;
  double real;
  char** list;
  int64_t* numbers;
  size_t count;
} argument;

struct job;
typedef struct function {
  const char* name;
  /* Of each argument: t text, s secret (text or bytes; wiped), i int32, w uint32, n int64, u a count, b boolean,
   * d double, l list of texts, a list of amounts, S signer. */
  const char* arguments;
  void (*run)(struct job*); /* on the pool */
  napi_value (*result)(napi_env, struct job*);
} function;

typedef struct job {
  client* owner;
  const function* what;
  argument arguments[kMaxArguments];
  napi_threadsafe_function signer;
  napi_deferred deferred;
  napi_async_work work;
  int code;
  char message[kMessageSize];
  char* text;
  spv_list* list;
  spv_payment* payment;
  spv_balance balance;
  int32_t height, confirmations;
  int64_t seq;
} job;

/* --- values --- */

static napi_value null_of(napi_env env) {
  napi_value out;
  napi_get_null(env, &out);
  return out;
}
static napi_value undefined_of(napi_env env) {
  napi_value out;
  napi_get_undefined(env, &out);
  return out;
}
static napi_value object_of(napi_env env) {
  napi_value out;
  napi_create_object(env, &out);
  return out;
}
static void set(napi_env env, napi_value object, const char* name, napi_value value) {
  napi_set_named_property(env, object, name, value);
}
static napi_value text_value(napi_env env, const char* text) {
  napi_value out = NULL;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &out);
  return out;
}
static napi_value number_value(napi_env env, double number) {
  napi_value out;
  napi_create_double(env, number, &out);
  return out;
}
static void set_text(napi_env env, napi_value object, const char* name, const char* text) {
  set(env, object, name, text_value(env, text));
}
static void set_optional(napi_env env, napi_value object, const char* name, const char* text) {
  set(env, object, name, *text == '\0' ? null_of(env) : text_value(env, text));
}
static void set_number(napi_env env, napi_value object, const char* name, int64_t number) {
  set(env, object, name, number_value(env, (double)number));
}
static void set_height(napi_env env, napi_value object, const char* name, int32_t height) {
  set(env, object, name, height < 0 ? null_of(env) : number_value(env, height));
}
static void set_amount(napi_env env, napi_value object, const char* name, int64_t amount) {
  napi_value out;
  napi_create_bigint_int64(env, amount, &out);
  set(env, object, name, out);
}
static void set_bool(napi_env env, napi_value object, const char* name, int32_t flag) {
  napi_value out;
  napi_get_boolean(env, flag != 0, &out);
  set(env, object, name, out);
}

/* --- arguments --- */

static void wipe(char* text, size_t size) {
  volatile char* byte = text;
  while (size-- > 0) *byte++ = '\0';
}

static void free_arguments(job* it) {
  for (int i = 0; i < kMaxArguments; ++i) {
    argument* each = &it->arguments[i];
    if (each->secret && each->text != NULL) wipe(each->text, each->size);
    free(each->text);
    for (size_t k = 0; each->list != NULL && k < each->count; ++k) free(each->list[k]);
    free(each->list);
    free(each->numbers);
  }
}

static bool is_type(napi_env env, napi_value value, napi_valuetype wanted) {
  napi_valuetype type;
  return napi_typeof(env, value, &type) == napi_ok && type == wanted;
}
static bool is_missing(napi_env env, napi_value value) {
  return is_type(env, value, napi_undefined) || is_type(env, value, napi_null);
}

/* UTF-8, of which the library sees all or nothing: a zero would cut it short. */
static const char* read_text(napi_env env, napi_value value, char** out, size_t* size) {
  if (!is_type(env, value, napi_string)) return "expected a string";
  napi_get_value_string_utf8(env, value, NULL, 0, size);
  *out = malloc(*size + 1);
  if (*out == NULL) return "out of memory";
  napi_get_value_string_utf8(env, value, *out, *size + 1, size);
  return strlen(*out) == *size ? NULL : "a string contains a zero character";
}

static const char* read_secret(napi_env env, napi_value value, argument* out) {
  bool is_bytes = false;
  out->secret = true;
  napi_is_typedarray(env, value, &is_bytes);
  if (!is_bytes) return read_text(env, value, &out->text, &out->size);
  void* data = NULL;
  napi_typedarray_type type;
  napi_get_typedarray_info(env, value, &type, &out->size, &data, NULL, NULL);
  if (type != napi_uint8_array) return "a secret is a string, a Buffer or a Uint8Array";
  out->text = malloc(out->size + 1);
  if (out->text == NULL) return "out of memory";
  if (out->size > 0) memcpy(out->text, data, out->size);
  out->text[out->size] = '\0';
  return NULL;
}

static const char* read_number(napi_env env, napi_value value, int64_t low, int64_t high, int64_t* out) {
  if (is_type(env, value, napi_bigint)) {
    bool lossless = false;
    napi_get_value_bigint_int64(env, value, out, &lossless);
    if (!lossless) return "a number is too large";
  } else {
    double number = 0.5;
    if (!is_type(env, value, napi_number)) return "expected a number";
    napi_get_value_double(env, value, &number);
    if (!(number >= -9007199254740991.0 && number <= 9007199254740991.0) || number != (double)(int64_t)number) {
      return "expected a whole number; use a BigInt for a large one";
    }
    *out = (int64_t)number;
  }
  return *out < low || *out > high ? "a number is out of range" : NULL;
}

static const char* read_list(napi_env env, napi_value value, bool texts, argument* out) {
  bool is_array = false;
  uint32_t count = 0;
  napi_is_array(env, value, &is_array);
  if (!is_array) return "expected an array";
  napi_get_array_length(env, value, &count);
  if (texts) out->list = calloc((size_t)count + 1, sizeof *out->list);
  if (!texts) out->numbers = calloc((size_t)count + 1, sizeof *out->numbers);
  if (out->list == NULL && out->numbers == NULL) return "out of memory";
  out->count = count;
  for (uint32_t i = 0; i < count; ++i) {
    napi_value item = NULL;
    size_t size = 0;
    napi_get_element(env, value, i, &item);
    const char* wrong = texts ? read_text(env, item, &out->list[i], &size)
                              : read_number(env, item, INT64_MIN, INT64_MAX, &out->numbers[i]);
    if (wrong != NULL) return wrong;
  }
  return NULL;
}

static const char* read_argument(napi_env env, napi_value value, char kind, argument* out) {
  switch (kind) {
    case 't':
      return read_text(env, value, &out->text, &out->size);
    case 's':
      return read_secret(env, value, out);
    case 'i':
      return read_number(env, value, INT32_MIN, INT32_MAX, &out->number);
    case 'w':
      return read_number(env, value, 0, UINT32_MAX, &out->number);
    case 'n':
      return read_number(env, value, INT64_MIN, INT64_MAX, &out->number);
    case 'u':
      return read_number(env, value, 0, INT64_MAX, &out->number);
    case 'l':
      return read_list(env, value, true, out);
    case 'a':
      return read_list(env, value, false, out);
    case 'd':
      return napi_get_value_double(env, value, &out->real) == napi_ok ? NULL : "expected a number";
    default: {
      bool flag = false;
      if (napi_get_value_bool(env, value, &flag) != napi_ok) return "expected true or false";
      out->number = flag ? 1 : 0;
      return NULL;
    }
  }
}

/* --- signers: JavaScript is asked from the pool, which waits --- */

static int wait_for_signature(job* it, request* wanted, uint8_t* signature, size_t* size) {
  client* owner = it->owner;
  pthread_mutex_lock(&owner->mutex);
  wanted->id = ++owner->last_id;
  wanted->next = owner->requests;
  owner->requests = wanted;
  pthread_mutex_unlock(&owner->mutex);
  const bool asked = napi_call_threadsafe_function(it->signer, wanted, napi_tsfn_blocking) == napi_ok;
  pthread_mutex_lock(&owner->mutex);
  while (asked && !wanted->done && !owner->dead) pthread_cond_wait(&owner->changed, &owner->mutex);
  for (request** each = &owner->requests; *each != NULL; each = &(*each)->next) {
    if (*each == wanted) {
      *each = wanted->next;
      break;
    }
  }
  pthread_mutex_unlock(&owner->mutex);
  if (wanted->size == 0 || wanted->size > *size) return 1;
  memcpy(signature, wanted->signature, wanted->size);
  *size = wanted->size;
  return 0;
}

static int sign(void* context, const spv_signer_key* key, const uint8_t* digest, uint8_t* signature, size_t* size,
                bool schnorr) {
  request wanted = {.schnorr = schnorr, .key = *key};
  memcpy(wanted.digest, digest, sizeof wanted.digest);
  return wait_for_signature(context, &wanted, signature, size);
}
static int sign_ecdsa(void* context, const spv_signer_key* key, const uint8_t* digest, uint8_t* signature,
                      size_t* size) {
  return sign(context, key, digest, signature, size, false);
}
static int sign_schnorr(void* context, const spv_signer_key* key, const uint8_t* digest, uint8_t* signature,
                        size_t* size) {
  return sign(context, key, digest, signature, size, true);
}
static spv_signer signer_of(job* it) {
  return (spv_signer){sizeof(spv_signer), it, sign_ecdsa, it->arguments[0].number != 0 ? sign_schnorr : NULL};
}

static napi_value bytes_of(napi_env env, const uint8_t* bytes, size_t size) {
  napi_value out = NULL;
  napi_create_buffer_copy(env, size, bytes, NULL, &out);
  return out;
}

/* On the JavaScript thread: signer(id, schnorr, publicKey, fingerprint, path, digest). */
static void ask_signer(napi_env env, napi_value function, void* context, void* data) {
  client* owner = context;
  const request* wanted = NULL;
  napi_value arguments[6];
  if (env == NULL) return;
  pthread_mutex_lock(&owner->mutex);
  for (wanted = owner->requests; wanted != NULL && wanted != data; wanted = wanted->next) {
  }
  if (wanted != NULL) { /* else nobody waits any more */
    arguments[0] = number_value(env, wanted->id);
    napi_get_boolean(env, wanted->schnorr, &arguments[1]);
    arguments[2] = bytes_of(env, wanted->key.public_key, wanted->key.public_key_size);
    arguments[3] = arguments[4] = null_of(env);
    if (wanted->key.has_origin != 0) {
      arguments[3] = bytes_of(env, wanted->key.fingerprint, sizeof wanted->key.fingerprint);
      napi_create_array(env, &arguments[4]);
      for (uint32_t i = 0; i < wanted->key.path_size; ++i) {
        napi_set_element(env, arguments[4], i, number_value(env, wanted->key.path[i]));
      }
    }
    arguments[5] = bytes_of(env, wanted->digest, sizeof wanted->digest);
  }
  pthread_mutex_unlock(&owner->mutex);
  if (wanted != NULL) napi_call_function(env, undefined_of(env), function, 6, arguments, NULL);
}

/* --- the functions --- */

#define TEXT(i) (it->arguments[i].text)
#define SIZE(i) (it->arguments[i].size)
#define NUMBER(i) (it->arguments[i].number)
#define INT(i) ((int32_t)it->arguments[i].number)
#define LIST(i) ((const char* const*)it->arguments[i].list)
#define COUNT(i) (it->arguments[i].count)
#define SPV (it->owner->spv)
#define RUN(name, call) \
  static void run_##name(job* it) { it->code = call; }

/* An empty secret is none. */
static const char* secret(const job* it, int i) { return it->arguments[i].size == 0 ? NULL : it->arguments[i].text; }

static void run_open(job* it) {
  spv_options options = {.struct_size = sizeof options};
  options.data_dir = TEXT(0);
  options.network = INT(1);
  options.peers = COUNT(2) == 0 ? NULL : LIST(2);
  options.peer_count = COUNT(2) == 0 ? (size_t)NUMBER(3) : COUNT(2);
  options.proxy = TEXT(4);
  options.fp_rate = it->arguments[5].real;
  options.mempool_wait_ms = INT(6);
  options.once = INT(7);
  options.whole_blocks = INT(8);
  options.byte_budget = (uint64_t)NUMBER(9);
  options.transport = INT(10);
  options.cross_check = INT(11);
  options.source = INT(12);
  options.plain_on_loopback = INT(13);
  options.max_download = (uint64_t)NUMBER(14);
  options.timeout_ms = NUMBER(15);
  options.skip_clock_check = INT(16);
  options.database = TEXT(17);
  options.follow_all = INT(18);
  options.only_bloom_filters = INT(19);
  it->code = spv_open(&options, &it->owner->spv);
}

static spv_wallet_options wallet_options(const job* it, int first) {
  spv_wallet_options options = {.struct_size = sizeof options};
  options.script = TEXT(first);
  options.account = (uint32_t)NUMBER(first + 1);
  options.gap_limit = (uint32_t)NUMBER(first + 2);
  options.has_birthday = INT(first + 3);
  options.birthday = NUMBER(first + 4);
  options.words = (uint32_t)NUMBER(first + 5);
  options.passphrase = secret(it, first + 6);
  options.passphrase_size = SIZE(first + 6);
  options.bip39_passphrase = secret(it, first + 7);
  options.bip39_passphrase_size = SIZE(first + 7);
  return options;
}
static void run_wallet_create(job* it) {
  const spv_wallet_options options = wallet_options(it, 1);
  it->code = spv_wallet_create(SPV, TEXT(0), &options, &it->text);
}
static void run_wallet_restore(job* it) {
  const spv_wallet_options options = wallet_options(it, 2);
  it->code = spv_wallet_restore(SPV, TEXT(0), TEXT(1), SIZE(1), &options);
}
static void run_wallet_watch(job* it) {
  const spv_wallet_options options = wallet_options(it, 2);
  it->code = spv_wallet_watch(SPV, TEXT(0), LIST(1), COUNT(1), &options);
}

RUN(wallet_open, spv_wallet_open(SPV, TEXT(0)))
RUN(wallets_open, spv_wallets_open(SPV, LIST(0), COUNT(0)))
RUN(wallet_close, spv_wallet_close(SPV, TEXT(0)))
RUN(start, spv_start(SPV))
RUN(stop, spv_stop(SPV))
RUN(pause, spv_pause(SPV))
RUN(resume, spv_resume(SPV))
RUN(network_changed, spv_network_changed(SPV))
RUN(set_byte_budget, spv_set_byte_budget(SPV, (uint64_t)NUMBER(0)))
RUN(get_wallets, spv_get_wallets(SPV, &it->list))
RUN(get_address, spv_get_address(SPV, TEXT(0), INT(1), INT(2), &it->text))
RUN(get_scanned, spv_get_scanned(SPV, TEXT(0), &it->height))
RUN(get_coins, spv_get_coins(SPV, TEXT(0), &it->list))
RUN(get_history, spv_get_history(SPV, TEXT(0), &it->list))
RUN(get_transaction, spv_get_transaction(SPV, TEXT(0), TEXT(1), &it->list))
RUN(get_addresses, spv_get_addresses(SPV, TEXT(0), &it->list))
RUN(get_proof, spv_get_proof(SPV, TEXT(0), TEXT(1), &it->text))
RUN(verify_proof, spv_verify_proof(SPV, TEXT(0), SIZE(0), &it->height, &it->confirmations))
/* Without waiting: that is the event loop's business. */
RUN(get_events, spv_get_events(SPV, NUMBER(0), (size_t)NUMBER(1), 0, TEXT(2), &it->list))
RUN(get_all_events, spv_get_all_events(SPV, NUMBER(0), (size_t)NUMBER(1), 0, TEXT(2), &it->list))
RUN(consumer_position, spv_consumer_position(SPV, TEXT(0), &it->seq))
RUN(consumer_acknowledge, spv_consumer_acknowledge(SPV, TEXT(0), NUMBER(1)))
RUN(payment_create_bump, spv_payment_create_bump(SPV, TEXT(0), TEXT(1), NUMBER(2), (uint32_t)NUMBER(3), &it->payment))
RUN(payment_bump, spv_payment_bump(SPV, TEXT(0), TEXT(1), NUMBER(2), secret(it, 3), SIZE(3), &it->payment))
RUN(payment_cancel, spv_payment_cancel(SPV, TEXT(0), TEXT(1), NUMBER(2), secret(it, 3), SIZE(3), &it->payment))
RUN(payment_abandon, spv_payment_abandon(SPV, TEXT(0), TEXT(1)))
RUN(psbt_sign, spv_psbt_sign(SPV, TEXT(0), TEXT(1), INT(2), secret(it, 3), SIZE(3), &it->text))
RUN(psbt_combine, spv_psbt_combine(SPV, LIST(0), COUNT(0), &it->text))
RUN(psbt_finalize, spv_psbt_finalize(SPV, TEXT(0), &it->text))
RUN(psbt_extract, spv_psbt_extract(SPV, TEXT(0), &it->text))
RUN(broadcast, spv_broadcast(SPV, TEXT(0), &it->text))
RUN(request_fees, spv_request_fees(SPV))

static void run_get_balance(job* it) {
  it->balance.struct_size = sizeof it->balance;
  it->code = spv_get_balance(SPV, TEXT(0), &it->balance);
}

static void run_payment_bump_with(job* it) {
  const spv_signer signer = signer_of(it);
  it->code = spv_payment_bump_with(SPV, TEXT(1), TEXT(2), NUMBER(3), &signer, &it->payment);
}
static void run_psbt_sign_with(job* it) {
  const spv_signer signer = signer_of(it);
  it->code = spv_psbt_sign_with(SPV, TEXT(1), TEXT(2), INT(3), &signer, &it->text);
}

/* `first`: wallet, addresses, amounts, coins and the other options; calls with them. */
static void run_payment(job* it, int first, int (*pay)(job*, const spv_payment_options*)) {
  const size_t count = COUNT(first + 1) < COUNT(first + 2) ? COUNT(first + 1) : COUNT(first + 2);
  spv_recipient* recipients = calloc(count + 1, sizeof *recipients);
  spv_payment_options options = {.struct_size = sizeof options};
  if (recipients == NULL) {
    it->code = SPV_ERR_STORAGE;
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    recipients[i] = (spv_recipient){it->arguments[first + 1].list[i], it->arguments[first + 2].numbers[i]};
  }
  options.recipients = recipients;
  options.recipient_count = count;
  options.coins = COUNT(first + 3) == 0 ? NULL : LIST(first + 3);
  options.coin_count = COUNT(first + 3);
  options.fee_rate = NUMBER(first + 4);
  options.change = TEXT(first + 5);
  options.subtract_fee = INT(first + 6);
  options.spend_unconfirmed = INT(first + 7);
  options.allow_high_fee = INT(first + 8);
  options.allow_low_fee = INT(first + 9);
  options.psbt_version = (uint32_t)NUMBER(first + 10);
  it->code = pay(it, &options);
  free(recipients);
}
static int create_payment(job* it, const spv_payment_options* options) {
  return spv_payment_create(SPV, TEXT(0), options, &it->payment);
}
static int send_payment(job* it, const spv_payment_options* options) {
  return spv_payment_send(SPV, TEXT(1), options, secret(it, 0), SIZE(0), &it->payment);
}
static int send_payment_with(job* it, const spv_payment_options* options) {
  const spv_signer signer = signer_of(it);
  return spv_payment_send_with(SPV, TEXT(1), options, &signer, &it->payment);
}
static void run_payment_create(job* it) { run_payment(it, 0, create_payment); }
static void run_payment_send(job* it) { run_payment(it, 1, send_payment); }
static void run_payment_send_with(job* it) { run_payment(it, 1, send_payment_with); }

/* --- their results, on the JavaScript thread --- */

static napi_value nothing(napi_env env, job* it) {
  (void)it;
  return undefined_of(env);
}
static napi_value as_text(napi_env env, job* it) { return text_value(env, it->text); }
/* What JavaScript can overwrite; what it came in is wiped when it is freed. */
static napi_value as_secret(napi_env env, job* it) { return bytes_of(env, (const uint8_t*)it->text, strlen(it->text)); }
static napi_value as_height(napi_env env, job* it) { return number_value(env, it->height); }
static napi_value as_seq(napi_env env, job* it) { return number_value(env, (double)it->seq); }
static napi_value as_proof(napi_env env, job* it) {
  napi_value out = object_of(env);
  set_number(env, out, "height", it->height);
  set_number(env, out, "confirmations", it->confirmations);
  return out;
}
static napi_value as_balance(napi_env env, job* it) {
  napi_value out = object_of(env);
  set_amount(env, out, "confirmed", it->balance.confirmed);
  set_amount(env, out, "unconfirmed", it->balance.unconfirmed);
  set_amount(env, out, "immature", it->balance.immature);
  set_amount(env, out, "total", it->balance.total);
  return out;
}

static napi_value as_list(napi_env env, const spv_list* list, napi_value (*item)(napi_env, const spv_list*, size_t)) {
  napi_value out;
  napi_create_array(env, &out);
  for (size_t i = 0; i < spv_list_size(list); ++i) {
    napi_handle_scope scope;
    napi_open_handle_scope(env, &scope);
    napi_set_element(env, out, (uint32_t)i, item(env, list, i));
    napi_close_handle_scope(env, scope);
  }
  return out;
}
static napi_value name_item(napi_env env, const spv_list* list, size_t i) {
  const char* name = "";
  spv_name_at(list, i, &name);
  return text_value(env, name);
}
static napi_value coin_item(napi_env env, const spv_list* list, size_t i) {
  spv_coin coin = {.struct_size = sizeof coin};
  napi_value out = object_of(env);
  if (spv_coin_at(list, i, &coin) != SPV_OK) return null_of(env);
  set_text(env, out, "txid", coin.txid);
  set_number(env, out, "vout", coin.vout);
  set_amount(env, out, "amount", coin.amount);
  set_optional(env, out, "address", coin.address);
  set_text(env, out, "path", coin.path);
  set_height(env, out, "height", coin.height);
  set_number(env, out, "confirmations", coin.confirmations);
  set_bool(env, out, "spendable", coin.spendable);
  return out;
}
static napi_value tx_item(napi_env env, const spv_list* list, size_t i) {
  spv_tx tx = {.struct_size = sizeof tx};
  napi_value out = object_of(env);
  if (spv_tx_at(list, i, &tx) != SPV_OK) return null_of(env);
  set_text(env, out, "txid", tx.txid);
  set_amount(env, out, "net", tx.net);
  if (tx.fee < 0) set(env, out, "fee", null_of(env));
  if (tx.fee >= 0) set_amount(env, out, "fee", tx.fee);
  set_number(env, out, "time", tx.time);
  set_height(env, out, "height", tx.height);
  set_optional(env, out, "block", tx.block);
  set_number(env, out, "confirmations", tx.confirmations);
  set_number(env, out, "state", tx.state);
  set_optional(env, out, "replacedBy", tx.replaced_by);
  return out;
}
static napi_value address_item(napi_env env, const spv_list* list, size_t i) {
  spv_address address = {.struct_size = sizeof address};
  napi_value out = object_of(env);
  if (spv_address_at(list, i, &address) != SPV_OK) return null_of(env);
  set_text(env, out, "address", address.address);
  set_text(env, out, "path", address.path);
  set_amount(env, out, "received", address.received);
  set_bool(env, out, "used", address.used);
  return out;
}
static napi_value paid_outputs(napi_env env, const spv_list* list, size_t i, size_t count) {
  napi_value out;
  napi_create_array(env, &out);
  for (size_t k = 0; k < count; ++k) {
    spv_paid_output paid = {.struct_size = sizeof paid};
    napi_value each = object_of(env);
    if (spv_logged_output_at(list, i, k, &paid) != SPV_OK) break;
    set_optional(env, each, "address", paid.address);
    set_amount(env, each, "amount", paid.amount);
    set_number(env, each, "vout", paid.vout);
    set_number(env, each, "chain", paid.chain);
    set_number(env, each, "index", paid.index);
    napi_set_element(env, out, (uint32_t)k, each);
  }
  return out;
}
static napi_value logged_event_item(napi_env env, const spv_list* list, size_t i) {
  spv_logged_event event = {.struct_size = sizeof event};
  napi_value out = object_of(env);
  if (spv_logged_event_at(list, i, &event) != SPV_OK) return null_of(env);
  set_number(env, out, "seq", event.seq);
  set_number(env, out, "time", event.time);
  set_number(env, out, "type", event.type);
  set_optional(env, out, "wallet", event.wallet);
  set_optional(env, out, "txid", event.txid);
  set_optional(env, out, "block", event.block);
  set_optional(env, out, "replacedBy", event.replaced_by);
  set_amount(env, out, "net", event.net);
  set_height(env, out, "height", event.height);
  set_number(env, out, "state", event.state);
  set_optional(env, out, "other", event.other);
  set(env, out, "outputs", paid_outputs(env, list, i, event.output_count));
  return out;
}
static napi_value as_names(napi_env env, job* it) { return as_list(env, it->list, name_item); }
static napi_value as_coins(napi_env env, job* it) { return as_list(env, it->list, coin_item); }
static napi_value as_txs(napi_env env, job* it) { return as_list(env, it->list, tx_item); }
static napi_value as_tx(napi_env env, job* it) { return tx_item(env, it->list, 0); }
static napi_value as_addresses(napi_env env, job* it) { return as_list(env, it->list, address_item); }
static napi_value as_events(napi_env env, job* it) { return as_list(env, it->list, logged_event_item); }

static napi_value payment_inputs(napi_env env, const spv_payment* payment, size_t count) {
  napi_value out;
  napi_create_array(env, &out);
  for (size_t i = 0; i < count; ++i) {
    spv_payment_input input = {.struct_size = sizeof input};
    napi_value each = object_of(env);
    if (spv_payment_input_at(payment, i, &input) != SPV_OK) break;
    set_text(env, each, "txid", input.txid);
    set_number(env, each, "vout", input.vout);
    set_amount(env, each, "amount", input.amount);
    napi_set_element(env, out, (uint32_t)i, each);
  }
  return out;
}
static napi_value payment_outputs(napi_env env, const spv_payment* payment, size_t count) {
  napi_value out;
  napi_create_array(env, &out);
  for (size_t i = 0; i < count; ++i) {
    spv_payment_output output = {.struct_size = sizeof output};
    napi_value each = object_of(env);
    if (spv_payment_output_at(payment, i, &output) != SPV_OK) break;
    set_optional(env, each, "address", output.address);
    set_amount(env, each, "amount", output.amount);
    set_bool(env, each, "change", output.change);
    napi_set_element(env, out, (uint32_t)i, each);
  }
  return out;
}
static napi_value as_payment(napi_env env, job* it) {
  spv_payment_info info = {.struct_size = sizeof info};
  napi_value out = object_of(env);
  if (spv_payment_get(it->payment, &info) != SPV_OK) return null_of(env);
  set_text(env, out, "txid", info.txid);
  set_text(env, out, "hex", info.hex);
  set_optional(env, out, "psbt", info.psbt);
  set_amount(env, out, "fee", info.fee);
  set_number(env, out, "vsize", info.vsize);
  set(env, out, "inputs", payment_inputs(env, it->payment, info.input_count));
  set(env, out, "outputs", payment_outputs(env, it->payment, info.output_count));
  return out;
}

#define PAYMENT "tlalntbbbbw"
#define WALLET "twwinwss"
static const function kOpen = {"open", "tiluudibbuiiiiunbtbb", run_open, nothing};
static const function kFunctions[] = {
    {"wallet_create", "t" WALLET, run_wallet_create, as_secret},
    {"wallet_restore", "ts" WALLET, run_wallet_restore, nothing},
    {"wallet_watch", "tl" WALLET, run_wallet_watch, nothing},
    {"wallet_open", "t", run_wallet_open, nothing},
    {"wallets_open", "l", run_wallets_open, nothing},
    {"wallet_close", "t", run_wallet_close, nothing},
    {"start", "", run_start, nothing},
    {"stop", "", run_stop, nothing},
    {"pause", "", run_pause, nothing},
    {"resume", "", run_resume, nothing},
    {"network_changed", "", run_network_changed, nothing},
    {"set_byte_budget", "u", run_set_byte_budget, nothing},
    {"get_wallets", "", run_get_wallets, as_names},
    {"get_balance", "t", run_get_balance, as_balance},
    {"get_address", "tbb", run_get_address, as_text},
    {"get_scanned", "t", run_get_scanned, as_height},
    {"get_coins", "t", run_get_coins, as_coins},
    {"get_history", "t", run_get_history, as_txs},
    {"get_transaction", "tt", run_get_transaction, as_tx},
    {"get_addresses", "t", run_get_addresses, as_addresses},
    {"get_proof", "tt", run_get_proof, as_text},
    {"verify_proof", "t", run_verify_proof, as_proof},
    {"get_events", "nut", run_get_events, as_events},
    {"get_all_events", "nut", run_get_all_events, as_events},
    {"consumer_position", "t", run_consumer_position, as_seq},
    {"consumer_acknowledge", "tn", run_consumer_acknowledge, nothing},
    {"payment_create", PAYMENT, run_payment_create, as_payment},
    {"payment_create_bump", "ttnw", run_payment_create_bump, as_payment},
    {"payment_send", "s" PAYMENT, run_payment_send, as_payment},
    {"payment_send_with", "S" PAYMENT, run_payment_send_with, as_payment},
    {"payment_bump", "ttns", run_payment_bump, as_payment},
    {"payment_bump_with", "Sttn", run_payment_bump_with, as_payment},
    {"payment_cancel", "ttns", run_payment_cancel, as_payment},
    {"payment_abandon", "tt", run_payment_abandon, nothing},
    {"psbt_sign", "ttbs", run_psbt_sign, as_text},
    {"psbt_sign_with", "Sttb", run_psbt_sign_with, as_text},
    {"psbt_combine", "l", run_psbt_combine, as_text},
    {"psbt_finalize", "t", run_psbt_finalize, as_text},
    {"psbt_extract", "t", run_psbt_extract, as_text},
    {"broadcast", "t", run_broadcast, as_text},
    {"request_fees", "", run_request_fees, nothing},
};

/* --- calls --- */

static const napi_type_tag kClientTag = {0x7370766c69627370, 0x636c69656e747631};

static napi_value fail(napi_env env, const char* message) {
  napi_throw_type_error(env, "SPV_ERR_INVALID_ARGUMENT", message);
  return NULL;
}

static client* client_of(napi_env env, napi_value value) {
  bool ours = false;
  void* out = NULL;
  if (is_type(env, value, napi_external)) napi_check_object_type_tag(env, value, &kClientTag, &ours);
  if (ours) napi_get_value_external(env, value, &out);
  if (out == NULL) fail(env, "not a client");
  return out;
}

static void execute(napi_env env, void* data) {
  job* it = data;
  client* owner = it->owner;
  (void)env;
  pthread_mutex_lock(&owner->mutex);
  const bool dead = owner->dead;
  if (!dead) ++owner->executing;
  pthread_mutex_unlock(&owner->mutex);
  if (dead) {
    it->code = SPV_ERR_STATE;
    snprintf(it->message, sizeof it->message, "the client is closed");
    return;
  }
  it->what->run(it);
  if (it->code != SPV_OK) { /* the message belongs to this thread */
    const char* message = owner->spv == NULL ? "" : spv_last_error(owner->spv);
    snprintf(it->message, sizeof it->message, "%s", *message != '\0' ? message : spv_error_name(it->code));
  }
  pthread_mutex_lock(&owner->mutex);
  --owner->executing;
  pthread_cond_broadcast(&owner->changed);
  pthread_mutex_unlock(&owner->mutex);
}

static napi_value error_of(napi_env env, int code, const char* message) {
  napi_value out = object_of(env);
  set_number(env, out, "code", code);
  napi_value text = text_value(env, message);
  set(env, out, "message", text == NULL ? text_value(env, "(not UTF-8)") : text);
  return out;
}

static void free_job(napi_env env, job* it) {
  if (it->signer != NULL) napi_release_threadsafe_function(it->signer, napi_tsfn_release);
  if (it->work != NULL) napi_delete_async_work(env, it->work);
  spv_free(it->text);
  spv_list_free(it->list);
  spv_payment_free(it->payment);
  free_arguments(it);
  free(it);
}

static void complete(napi_env env, napi_status status, void* data) {
  job* it = data;
  client* owner = it->owner;
  if (status == napi_cancelled) it->code = SPV_ERR_STATE;
  --owner->jobs;
  if (it->code == SPV_OK) {
    napi_value result = it->what->result(env, it);
    napi_resolve_deferred(env, it->deferred, result == NULL ? undefined_of(env) : result);
  } else {
    napi_reject_deferred(env, it->deferred, error_of(env, it->code, it->message));
  }
  free_job(env, it);
}

static const char* read_signer(napi_env env, napi_value value, job* it) {
  napi_value name = text_value(env, "libspv signer");
  napi_value with_schnorr;
  bool schnorr = false;
  if (!is_type(env, value, napi_function)) return "expected a signer";
  napi_get_named_property(env, value, "schnorr", &with_schnorr);
  napi_get_value_bool(env, with_schnorr, &schnorr);
  it->arguments[0].number = schnorr ? 1 : 0;
  return napi_create_threadsafe_function(env, value, NULL, name, 0, 1, NULL, NULL, it->owner, ask_signer,
                                         &it->signer) == napi_ok
             ? NULL
             : "cannot use this signer";
}

/* Starts a call; the arguments are those after the first `skip`. */
static napi_value begin(napi_env env, client* owner, const function* what, size_t count, const napi_value* values) {
  job* it = calloc(1, sizeof *it);
  napi_value promise = NULL;
  if (it == NULL) return fail(env, "out of memory");
  it->owner = owner;
  it->what = what;
  for (size_t i = 0; what->arguments[i] != '\0'; ++i) {
    if (i >= count || is_missing(env, values[i])) continue;
    const char* wrong = what->arguments[i] == 'S'
                            ? read_signer(env, values[i], it)
                            : read_argument(env, values[i], what->arguments[i], &it->arguments[i]);
    if (wrong != NULL) {
      free_job(env, it);
      return fail(env, wrong);
    }
  }
  if (napi_create_promise(env, &it->deferred, &promise) != napi_ok ||
      napi_create_async_work(env, NULL, text_value(env, what->name), execute, complete, it, &it->work) != napi_ok ||
      napi_queue_async_work(env, it->work) != napi_ok) {
    free_job(env, it);
    return fail(env, "cannot start the call");
  }
  ++owner->jobs;
  return promise;
}

/* --- the life of a client --- */

static void free_client(client* it) {
  pthread_mutex_destroy(&it->mutex);
  pthread_cond_destroy(&it->changed);
  free(it);
}

/* `data`: the hook that the end of the process or worker waits for, or null. */
static void poll_closed(uv_handle_t* handle) {
  if (handle->data != NULL) napi_remove_async_cleanup_hook(handle->data);
  free(handle);
}

static void end_poll(client* it, napi_async_cleanup_hook_handle waiting) {
  if (it->poll == NULL) return;
  uv_poll_stop(it->poll);
  it->poll->data = waiting;
  uv_close((uv_handle_t*)it->poll, poll_closed);
  it->poll = NULL;
  napi_delete_reference(it->env, it->on_readable);
  napi_async_destroy(it->env, it->context);
}

/* Waits until nobody is inside the library, and closes. */
static void close_now(client* it) {
  it->closing = true;
  pthread_mutex_lock(&it->mutex);
  it->dead = true;
  pthread_cond_broadcast(&it->changed);
  while (it->executing > 0) pthread_cond_wait(&it->changed, &it->mutex);
  pthread_mutex_unlock(&it->mutex);
  spv_close(it->spv);
  it->spv = NULL;
}

/* The process or the worker ends, and JavaScript does not run any more. */
static void on_teardown(napi_async_cleanup_hook_handle handle, void* data) {
  client* it = data;
  const bool polls = it->poll != NULL;
  end_poll(it, handle);
  if (it->spv != NULL) close_now(it);
  it->hook = NULL;
  if (it->freed && it->jobs == 0) free_client(it);
  if (!polls) napi_remove_async_cleanup_hook(handle);
}

/* An open client stays: only close() knows that nobody uses it. index.js warns. */
static void on_collected(napi_env env, void* data, void* hint) {
  client* it = data;
  (void)env;
  (void)hint;
  it->freed = true;
  if (it->spv != NULL || it->jobs > 0) return;
  if (it->hook != NULL) napi_remove_async_cleanup_hook(it->hook);
  free_client(it);
}

static napi_value js_make(napi_env env, napi_callback_info info) {
  client* it = calloc(1, sizeof *it);
  napi_value out = NULL;
  (void)info;
  if (it == NULL) return fail(env, "out of memory");
  it->env = env;
  pthread_mutex_init(&it->mutex, NULL);
  pthread_cond_init(&it->changed, NULL);
  napi_add_async_cleanup_hook(env, on_teardown, it, &it->hook);
  napi_create_external(env, it, on_collected, NULL, &out);
  napi_type_tag_object(env, out, &kClientTag);
  return out;
}

/* open(client, options...): a client that cannot be opened must be closed as well. */
static napi_value js_open(napi_env env, napi_callback_info info) {
  napi_value values[kMaxArguments + 1];
  size_t count = kMaxArguments + 1;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  client* it = client_of(env, count > 0 ? values[0] : undefined_of(env));
  if (it == NULL) return NULL;
  if (it->spv != NULL || it->jobs > 0 || it->closing) return fail(env, "the client is open already");
  return begin(env, it, &kOpen, count - 1, values + 1);
}

/* call(client, name, arguments...) */
static napi_value js_call(napi_env env, napi_callback_info info) {
  napi_value values[kMaxArguments + 2];
  size_t count = kMaxArguments + 2;
  char name[32] = "";
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  client* it = client_of(env, count > 0 ? values[0] : undefined_of(env));
  if (it == NULL) return NULL;
  if (it->closing || it->spv == NULL) return fail(env, "the client is closed");
  if (count > 1) napi_get_value_string_utf8(env, values[1], name, sizeof name, NULL);
  for (size_t i = 0; i < sizeof kFunctions / sizeof *kFunctions; ++i) {
    if (strcmp(name, kFunctions[i].name) == 0) return begin(env, it, &kFunctions[i], count - 2, values + 2);
  }
  return fail(env, "no such function");
}

static void run_close(job* it) {
  spv_close(it->owner->spv);
  it->owner->spv = NULL;
}
static const function kClose = {"close", "", run_close, nothing};

/* close(client): true if it is closed now, or a promise of it; null while calls are running: then call it again. */
static napi_value js_close(napi_env env, napi_callback_info info) {
  napi_value value = NULL, done = NULL;
  size_t count = 1;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  client* it = client_of(env, value);
  if (it == NULL) return NULL;
  it->closing = true;
  end_poll(it, NULL);
  if (it->jobs > 0) return null_of(env);
  if (it->spv != NULL) return begin(env, it, &kClose, 0, NULL);
  napi_get_boolean(env, true, &done);
  return done;
}

/* closeNow(client): blocks; for the end of the process. */
static napi_value js_close_now(napi_env env, napi_callback_info info) {
  napi_value value = NULL;
  size_t count = 1;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  client* it = client_of(env, value);
  if (it == NULL) return NULL;
  end_poll(it, NULL);
  if (it->spv != NULL) close_now(it);
  return undefined_of(env);
}

/* --- live events --- */

static void readable(uv_poll_t* handle, int status, int events) {
  client* it = handle->data;
  napi_handle_scope scope;
  napi_value function = NULL;
  (void)status;
  (void)events;
  napi_open_handle_scope(it->env, &scope);
  napi_get_reference_value(it->env, it->on_readable, &function);
  napi_make_callback(it->env, it->context, object_of(it->env), function, 0, NULL, NULL);
  bool thrown = false;
  napi_is_exception_pending(it->env, &thrown);
  if (thrown) {
    napi_value error;
    napi_get_and_clear_last_exception(it->env, &error);
    napi_fatal_exception(it->env, error);
  }
  napi_close_handle_scope(it->env, scope);
}

/* watch(client, onReadable): calls it while events wait; does not keep the process alive. unwatch(client) ends it. */
static napi_value js_watch(napi_env env, napi_callback_info info) {
  napi_value values[2];
  size_t count = 2;
  uv_loop_t* loop = NULL;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  client* it = client_of(env, values[0]);
  if (it == NULL) return NULL;
  if (it->closing || it->spv == NULL || it->poll != NULL) return fail(env, "the client is closed, or watched already");
  uv_poll_t* poll = calloc(1, sizeof *poll);
  napi_get_uv_event_loop(env, &loop);
  if (poll == NULL || uv_poll_init(loop, poll, spv_event_fd(it->spv)) != 0) {
    free(poll);
    return fail(env, "cannot wait for events");
  }
  poll->data = it;
  it->poll = poll;
  napi_create_reference(env, values[1], 1, &it->on_readable);
  napi_async_init(env, NULL, text_value(env, "libspv events"), &it->context);
  uv_unref((uv_handle_t*)poll);
  uv_poll_start(poll, UV_READABLE, readable);
  return undefined_of(env);
}

static napi_value js_unwatch(napi_env env, napi_callback_info info) {
  napi_value value = NULL;
  size_t count = 1;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  client* it = client_of(env, value);
  if (it != NULL) end_poll(it, NULL);
  return undefined_of(env);
}

/* nextEvent(client): null if none waits. */
static napi_value js_next_event(napi_env env, napi_callback_info info) {
  napi_value value = NULL;
  size_t count = 1;
  spv_event event = {.struct_size = sizeof event};
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  client* it = client_of(env, value);
  if (it == NULL) return NULL;
  if (it->closing || it->spv == NULL || spv_next_event(it->spv, 0, &event) != SPV_OK) return null_of(env);
  napi_value out = object_of(env);
  set_number(env, out, "type", event.type);
  set_number(env, out, "code", event.code);
  set_optional(env, out, "wallet", event.wallet);
  set_optional(env, out, "txid", event.txid);
  set_optional(env, out, "hash", event.hash);
  set_optional(env, out, "other", event.other);
  set_optional(env, out, "message", event.message);
  set_amount(env, out, "net", event.net);
  set_height(env, out, "height", event.height);
  set_number(env, out, "scanned", event.scanned);
  set_number(env, out, "peers", event.peers);
  set_number(env, out, "bytesIn", (int64_t)event.bytes_in);
  set_number(env, out, "bytesOut", (int64_t)event.bytes_out);
  set_number(env, out, "state", event.state);
  set_bool(env, out, "isFinal", event.is_final);
  set_amount(env, out, "feeFloor", event.fee_floor);
  set_amount(env, out, "feeEstimate", event.fee_estimate);
  return out;
}

/* answer(client, id, signature): null refuses. */
static napi_value js_answer(napi_env env, napi_callback_info info) {
  napi_value values[3];
  size_t count = 3, size = 0;
  uint32_t id = 0;
  void* data = NULL;
  bool is_buffer = false;
  napi_get_cb_info(env, info, &count, values, NULL, NULL);
  client* it = client_of(env, values[0]);
  if (it == NULL) return NULL;
  napi_get_value_uint32(env, values[1], &id);
  napi_is_buffer(env, values[2], &is_buffer);
  if (is_buffer) napi_get_buffer_info(env, values[2], &data, &size);
  pthread_mutex_lock(&it->mutex);
  for (request* each = it->requests; each != NULL; each = each->next) {
    if (each->id != id) continue;
    if (size <= sizeof each->signature && size > 0) {
      memcpy(each->signature, data, size);
      each->size = size;
    }
    each->done = true;
  }
  pthread_cond_broadcast(&it->changed);
  pthread_mutex_unlock(&it->mutex);
  return undefined_of(env);
}

static napi_value js_error_name(napi_env env, napi_callback_info info) {
  napi_value value;
  size_t count = 1;
  int32_t code = 0;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  napi_get_value_int32(env, value, &code);
  return text_value(env, spv_error_name(code));
}

NAPI_MODULE_INIT() {
  static const struct {
    const char* name;
    napi_callback function;
  } kExports[] = {{"make", js_make},
                  {"open", js_open},
                  {"call", js_call},
                  {"close", js_close},
                  {"watch", js_watch},
                  {"unwatch", js_unwatch},
                  {"nextEvent", js_next_event},
                  {"closeNow", js_close_now},
                  {"answer", js_answer},
                  {"errorName", js_error_name}};
  for (size_t i = 0; i < sizeof kExports / sizeof *kExports; ++i) {
    napi_value function;
    napi_create_function(env, kExports[i].name, NAPI_AUTO_LENGTH, kExports[i].function, NULL, &function);
    set(env, exports, kExports[i].name, function);
  }
  set_text(env, exports, "version", spv_version());
  return exports;
}
