// The C ABI over spv::Client.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>

#include "capi/handles.h"

using spv::Client;
using spv::ErrorCode;
using spv::capi::call;
using spv::capi::can_give;
using spv::capi::done;
using spv::capi::fail;
using spv::capi::fail_with_exception;
using spv::capi::give;
using spv::capi::give_text;
using spv::capi::is_half_given;
using spv::capi::missing;
using spv::capi::note;
using spv::capi::take;
using spv::capi::text_of;

namespace {

spv::Options options_of(const spv_options& given) {
  spv::Options out;
  out.data_dir = text_of(given.data_dir);
  out.database = text_of(given.database);
  out.follow_all = given.follow_all != 0;
  out.network = static_cast<spv::NetworkId>(given.network);
  if (given.peers != nullptr) {
    for (std::size_t i = 0; i < given.peer_count; ++i) out.peers.push_back(text_of(given.peers[i]));
  } else if (given.peer_count > 0) {
    out.peer_count = given.peer_count;
  }
  out.proxy = text_of(given.proxy);
  out.fp_rate = given.fp_rate;
  if (given.mempool_wait_ms != 0) out.mempool_wait = std::chrono::milliseconds(std::max(given.mempool_wait_ms, 0));
  out.follow = given.once == 0;
  out.whole_blocks = given.whole_blocks != 0;
  out.byte_budget = given.byte_budget;
  out.transport = static_cast<spv::Transport>(given.transport);
  out.cross_check = static_cast<spv::CrossCheck>(given.cross_check);
  out.source = static_cast<spv::Source>(given.source);
  out.only_bloom_filters = given.only_bloom_filters != 0;
  if (given.plain_on_loopback != 0) out.plain_on_loopback = given.plain_on_loopback > 0;
  out.max_download = given.max_download;
  out.timeout = std::chrono::milliseconds(given.timeout_ms);
  out.check_clock = given.skip_clock_check == 0;
  return out;
}

std::optional<spv::Error> complaint(const spv_options& given) {
  if (given.plain_on_loopback < -1 || given.plain_on_loopback > 1) {
    return spv::Error{ErrorCode::InvalidArgument, "plain_on_loopback must be -1, 0 or 1"};
  }
  if (given.reserved != 0) {
    return spv::Error{ErrorCode::InvalidArgument, "reserved must be 0"};
  }
  return std::nullopt;
}

std::optional<spv::Error> complaint(const spv_wallet_options& given) {
  const bool height = given.has_birthday == 1;
  if (given.has_birthday < 0 || given.has_birthday > 2 ||
      (height && (given.birthday < 0 || given.birthday > std::numeric_limits<std::int32_t>::max()))) {
    return spv::Error{ErrorCode::InvalidArgument, "has_birthday must be 0, 1 (height) or 2 (Unix time)"};
  }
  if (is_half_given(given.passphrase, given.passphrase_size) ||
      is_half_given(given.bip39_passphrase, given.bip39_passphrase_size)) {
    return spv::Error{ErrorCode::InvalidArgument, "a passphrase needs both a pointer and a size"};
  }
  if (given.reserved != 0) return spv::Error{ErrorCode::InvalidArgument, "reserved must be 0"};
  return std::nullopt;
}

spv::Result<spv_wallet_options> take_checked(const spv_wallet_options* options) {
  auto given = take(options);
  if (!given) return given;
  if (auto wrong = complaint(*given)) return *wrong;
  return given;
}

template <typename Out>
void set_birthday(const spv_wallet_options& given, Out& out) {
  if (given.gap_limit != 0) out.gap_limit = given.gap_limit;
  if (given.has_birthday == 1) out.birthday_height = static_cast<std::int32_t>(given.birthday);
  if (given.has_birthday == 2) out.birthday_time = given.birthday;
}

spv::WalletOptions wallet_options_of(const spv_wallet_options& given) {
  spv::WalletOptions out;
  set_birthday(given, out);
  if (given.script != nullptr) out.script = given.script;
  out.account = given.account;
  out.passphrase = spv::Secret(text_of(given.passphrase, given.passphrase_size));
  out.bip39_passphrase = spv::Secret(text_of(given.bip39_passphrase, given.bip39_passphrase_size));
  if (given.words != 0) out.words = given.words;
  return out;
}

template <typename T>
int give_list(const spv_client* client, spv::Result<std::vector<T>> items, spv_list** out) {
  if (!items) return fail(client, items.error());
  *out = new spv_list{std::move(*items)};  // NOLINT: freed by spv_list_free
  return SPV_OK;
}

// --- events: the strings belong to the event that the client keeps ---------------------------------------------------

void fill(const spv::ProgressEvent& event, spv_event& out) {
  out.type = SPV_EVENT_PROGRESS;
  out.height = event.headers;
  out.scanned = event.scanned;
  out.peers = event.peers;
  out.bytes_in = event.bytes_in;
  out.bytes_out = event.bytes_out;
}
void fill(const spv::TipEvent& event, spv_event& out) {
  out.type = SPV_EVENT_TIP;
  out.height = event.height;
  out.hash = event.hash.c_str();
}
void fill(const spv::TransactionEvent& event, spv_event& out) {
  const bool lost = event.state == spv::TransactionState::Conflicted;
  out.type = lost ? SPV_EVENT_CONFLICT : SPV_EVENT_TRANSACTION;
  out.wallet = event.wallet.c_str();
  out.txid = event.txid.c_str();
  out.net = event.net;
  out.height = event.height.value_or(-1);
  out.hash = event.block.c_str();
  out.other = event.replaced_by.c_str();
  out.state = static_cast<std::int32_t>(event.state);
}
void fill(const spv::ReorganisationEvent& event, spv_event& out) {
  out.type = SPV_EVENT_REORG;
  out.hash = event.to.c_str();
  out.other = event.from.c_str();
  out.height = event.fork_height;
}
void fill(const spv::PeerEvent& event, spv_event& out) {
  out.type = SPV_EVENT_PEER;
  out.other = event.address.c_str();
  out.message = event.state.c_str();
}
void fill(const spv::WarningEvent& event, spv_event& out) {
  out.type = SPV_EVENT_WARNING;
  out.message = event.message.c_str();
}
void fill(const spv::SyncedEvent& event, spv_event& out) {
  out.type = SPV_EVENT_SYNCED;
  out.height = event.height;
}
void fill(const spv::StoppedEvent& event, spv_event& out) {
  out.type = SPV_EVENT_STOPPED;
  out.code = event.code;
  out.message = event.message.c_str();
}
void fill(const spv::BroadcastEvent& event, spv_event& out) {
  out.type = SPV_EVENT_BROADCAST;
  out.wallet = event.wallet.c_str();
  out.txid = event.txid.c_str();
  out.state = static_cast<int>(event.state);
  out.peers = event.peers_accepted;
  out.is_final = event.final ? 1 : 0;
}
void fill(const spv::FeesEvent& event, spv_event& out) {
  out.type = SPV_EVENT_FEES;
  out.fee_floor = event.floor.value_or(0);
  out.fee_estimate = event.estimate.value_or(0);
  out.peers = event.peers;
}

}  // namespace

int spv_open(const spv_options* options, spv_client** out) {
  if (out == nullptr) return SPV_ERR_INVALID_ARGUMENT;
  *out = new (std::nothrow) spv_client;  // NOLINT: freed by spv_close
  if (*out == nullptr) return SPV_ERR_STORAGE;
  try {
    const auto given = take(options);
    if (!given) return fail(*out, given.error());
    if (const auto wrong = complaint(*given)) return fail(*out, *wrong);
    auto opened = Client::open(options_of(*given));
    if (!opened) return fail(*out, opened.error());
    (*out)->client.emplace(std::move(*opened));
    return SPV_OK;
  } catch (...) {
    return fail_with_exception(*out);
  }
}

void spv_close(spv_client* client) { delete client; }  // NOLINT: handed out by spv_open

int spv_wallet_create(spv_client* client, const char* name, const spv_wallet_options* options, char** mnemonic) {
  return call(client, [&](Client& it) {
    if (mnemonic == nullptr) return missing(client);
    const auto wanted = take_checked(options);
    if (!wanted) return fail(client, wanted.error());
    const auto made = it.create_wallet(text_of(name), wallet_options_of(*wanted));
    return made ? give_text(client, made->text(), mnemonic) : fail(client, made.error());
  });
}

int spv_wallet_restore(spv_client* client, const char* name, const char* mnemonic, std::size_t mnemonic_size,
                       const spv_wallet_options* options) {
  return call(client, [&](Client& it) {
    if (mnemonic == nullptr) return missing(client);
    const auto wanted = take_checked(options);
    if (!wanted) return fail(client, wanted.error());
    const auto text = text_of(mnemonic, mnemonic_size);
    return done(client, it.restore_wallet(text_of(name), text, wallet_options_of(*wanted)));
  });
}

int spv_wallet_watch(spv_client* client, const char* name, const char* const* descriptors, std::size_t descriptor_count,
                     const spv_wallet_options* options) {
  return call(client, [&](Client& it) {
    if (descriptors == nullptr) return missing(client);
    const auto given = take_checked(options);
    if (!given) return fail(client, given.error());
    spv::WatchOptions wanted;
    set_birthday(*given, wanted);
    for (std::size_t i = 0; i < descriptor_count; ++i) wanted.descriptors.push_back(text_of(descriptors[i]));
    return done(client, it.watch_wallet(text_of(name), wanted));
  });
}

int spv_wallet_open(spv_client* client, const char* name) {
  return call(client, [&](Client& it) { return done(client, it.open_wallet(text_of(name))); });
}

int spv_wallets_open(spv_client* client, const char* const* names, std::size_t count) {
  return call(client, [&](Client& it) {
    if (names == nullptr) return missing(client);
    std::vector<std::string> all;
    all.reserve(count);
    for (std::size_t i = 0; i < count; ++i) all.push_back(text_of(names[i]));
    return done(client, it.open_wallets(all));
  });
}

int spv_wallet_close(spv_client* client, const char* name) {
  return call(client, [&](Client& it) { return done(client, it.close_wallet(text_of(name))); });
}

int spv_get_wallets(spv_client* client, spv_list** list) {
  return call(client, [&](Client& it) {
    return list == nullptr ? missing(client) : give_list(client, spv::Result(it.wallets()), list);
  });
}

int spv_start(spv_client* client) {
  return call(client, [&](Client& it) { return done(client, it.start()); });
}

int spv_stop(spv_client* client) {
  return call(client, [&](Client& it) { return done(client, it.stop()); });
}

int spv_pause(spv_client* client) { return spv_stop(client); }

int spv_resume(spv_client* client) {
  return call(client, [&](Client& it) { return done(client, it.resume()); });
}

int spv_network_changed(spv_client* client) {
  return call(client, [&](Client& it) { return done(client, it.network_changed()); });
}

int spv_set_byte_budget(spv_client* client, std::uint64_t bytes) {
  return call(client, [&](Client& it) {
    it.set_byte_budget(bytes);
    return SPV_OK;
  });
}

int spv_next_event(spv_client* client, int timeout_ms, spv_event* event) {
  return call(client, [&](Client& it) -> int {
    // Before one is taken: it would be lost.
    if (!can_give(event))
      return fail(client, ErrorCode::InvalidArgument, "event is null or its struct_size is not set");
    // A day at a time: "without end" as a number would overflow a clock.
    auto wait = std::chrono::milliseconds(timeout_ms < 0 ? 86'400'000 : timeout_ms);
    auto next = it.next_event(wait);
    while (!next && timeout_ms < 0 && !client->interrupted) next = it.next_event(wait);
    if (!next) {
      note(client, "no event arrived in time");
      return SPV_ERR_TIMEOUT;
    }
    client->event = std::move(*next);
    spv_event own{};
    own.wallet = own.txid = own.hash = own.other = own.message = "";
    std::visit([&](const auto& each) { fill(each, own); }, client->event);
    give(own, event);
    return SPV_OK;
  });
}

int spv_interrupt(spv_client* client) {
  return call(client, [&](Client& it) {
    client->interrupted = true;  // first: who is woken must see it
    it.interrupt();
    return SPV_OK;
  });
}

int spv_event_fd(const spv_client* client) {
  return client == nullptr || !client->client ? -1 : client->client->event_fd();
}

int spv_set_wake(spv_client* client, void (*wake)(void* context), void* context) {
  return call(client, [&](Client& it) {
    it.on_wake(wake == nullptr ? std::function<void()>() : [wake, context] { wake(context); });
    return SPV_OK;
  });
}

int spv_get_balance(spv_client* client, const char* wallet, spv_balance* balance) {
  return call(client, [&](Client& it) -> int {
    const auto sums = it.balance(text_of(wallet));
    if (!sums) return fail(client, sums.error());
    const spv_balance own{0, sums->confirmed, sums->unconfirmed, sums->immature, sums->total()};
    return give(own, balance) ? static_cast<int>(SPV_OK) : missing(client);
  });
}

int spv_get_address(spv_client* client, const char* wallet, int next, int change, char** address) {
  return call(client, [&](Client& it) {
    if (address == nullptr) return missing(client);
    const auto issued = it.address(text_of(wallet), next != 0, change != 0);
    return issued ? give_text(client, issued->address, address) : fail(client, issued.error());
  });
}

int spv_get_scanned(spv_client* client, const char* wallet, std::int32_t* height) {
  return call(client, [&](Client& it) -> int {
    if (height == nullptr) return missing(client);
    const auto status = it.status(text_of(wallet));
    if (!status) return fail(client, status.error());
    *height = status->scanned_to;
    return SPV_OK;
  });
}

namespace {

/// For programs that know of no other events.
spv::Result<std::vector<spv::LoggedEvent>> wait_transactions(Client& client, std::int64_t after, std::size_t limit,
                                                             std::chrono::milliseconds timeout,
                                                             const std::string& wallet) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::vector<spv::LoggedEvent> out;
  while (limit > 0) {
    const auto left = out.empty() ? end - std::chrono::steady_clock::now() : std::chrono::nanoseconds::zero();
    const auto wait = std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds::zero());
    auto found = client.wait_events(after, limit - out.size(), wait, wallet);
    if (!found) return found;
    if (found->empty()) break;
    after = found->back().seq;
    for (auto& each : *found) {
      if (each.transaction() != nullptr) out.push_back(std::move(each));
    }
    if (out.size() == limit) break;
  }
  return out;
}

}  // namespace

int spv_get_events(spv_client* client, std::int64_t after, std::size_t limit, int timeout_ms, const char* wallet,
                   spv_list** list) {
  return call(client, [&](Client& it) {
    if (list == nullptr) return missing(client);
    return give_list(client,
                     wait_transactions(it, after, limit, std::chrono::milliseconds(timeout_ms), text_of(wallet)), list);
  });
}

int spv_get_all_events(spv_client* client, std::int64_t after, std::size_t limit, int timeout_ms, const char* wallet,
                       spv_list** list) {
  return call(client, [&](Client& it) {
    if (list == nullptr) return missing(client);
    return give_list(client, it.wait_events(after, limit, std::chrono::milliseconds(timeout_ms), text_of(wallet)),
                     list);
  });
}

int spv_consumer_position(spv_client* client, const char* consumer, std::int64_t* seq) {
  return call(client, [&](Client& it) {
    if (seq == nullptr) return missing(client);
    const auto position = it.consumer_position(text_of(consumer));
    if (!position) return fail(client, position.error());
    *seq = *position;
    return static_cast<int>(SPV_OK);
  });
}

int spv_consumer_acknowledge(spv_client* client, const char* consumer, std::int64_t seq) {
  return call(client, [&](Client& it) { return done(client, it.acknowledge(text_of(consumer), seq)); });
}

int spv_get_coins(spv_client* client, const char* wallet, spv_list** list) {
  return call(client, [&](Client& it) {
    return list == nullptr ? missing(client) : give_list(client, it.coins(text_of(wallet)), list);
  });
}

int spv_get_history(spv_client* client, const char* wallet, spv_list** list) {
  return call(client, [&](Client& it) {
    return list == nullptr ? missing(client) : give_list(client, it.history(text_of(wallet)), list);
  });
}

int spv_get_transaction(spv_client* client, const char* wallet, const char* txid, spv_list** list) {
  return call(client, [&](Client& it) {
    if (list == nullptr) return missing(client);
    const auto found = it.transaction(text_of(wallet), text_of(txid));
    if (!found) return fail(client, found.error());
    return give_list(client, spv::Result<std::vector<spv::HistoryEntry>>({*found}), list);
  });
}

int spv_get_addresses(spv_client* client, const char* wallet, spv_list** list) {
  return call(client, [&](Client& it) {
    return list == nullptr ? missing(client) : give_list(client, it.addresses(text_of(wallet)), list);
  });
}

int spv_get_proof(spv_client* client, const char* wallet, const char* txid, char** proof) {
  return call(client, [&](Client& it) {
    if (proof == nullptr) return missing(client);
    const auto text = it.proof(text_of(wallet), text_of(txid));
    return text ? give_text(client, *text, proof) : fail(client, text.error());
  });
}

int spv_verify_proof(spv_client* client, const char* proof, std::size_t proof_size, std::int32_t* height,
                     std::int32_t* confirmations) {
  return call(client, [&](Client& it) -> int {
    if (proof == nullptr) return missing(client);
    const auto facts = it.verify_proof(text_of(proof, proof_size));
    if (!facts) return fail(client, facts.error());
    if (height != nullptr) *height = facts->height;
    if (confirmations != nullptr) *confirmations = facts->confirmations;
    return SPV_OK;
  });
}
