#include "capi/handles.h"

#include <cstdlib>
#include <exception>
#include <iterator>
#include <new>

namespace spv::capi {

void note(const spv_client* client, std::string_view message) noexcept {
  if (client == nullptr) return;
  try {
    const std::lock_guard lock(client->mutex);
    if (message.empty()) {
      client->last_errors.erase(std::this_thread::get_id());
    } else {
      client->last_errors[std::this_thread::get_id()] = message;
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): without memory the code alone must do
  }
}

int fail(const spv_client* client, ErrorCode code, std::string_view message) noexcept {
  note(client, message);
  return static_cast<int>(code);
}

int fail(const spv_client* client, const Error& error) noexcept { return fail(client, error.code, error.message); }

int fail_with_exception(const spv_client* client) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fail(client, ErrorCode::Storage, "out of memory");
  } catch (const std::exception& error) {
    return fail(client, ErrorCode::Internal, error.what());
  } catch (...) {
    return fail(client, ErrorCode::Internal, "unknown exception");
  }
}

char* copy(std::string_view text) {
  auto* out = static_cast<char*>(std::malloc(text.size() + 1));  // NOLINT: freed by spv_free
  if (out == nullptr) return nullptr;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return out;
}

int done(const spv_client* client, const Result<void>& result) {
  return result ? static_cast<int>(SPV_OK) : fail(client, result.error());
}

int missing(const spv_client* client) {
  return fail(client, ErrorCode::InvalidArgument, "a required argument is null");
}

int give_text(const spv_client* client, std::string_view text, char** out) {
  *out = copy(text);
  return *out == nullptr ? fail(client, ErrorCode::Storage, "out of memory") : static_cast<int>(SPV_OK);
}

}  // namespace spv::capi

const char* spv_version(void) { return spv::version(); }

const char* spv_error_name(int error) {
  // By the number without its sign.
  static constexpr const char* kNames[] = {"ok",
                                           "invalid argument",
                                           "not found",
                                           "exists",
                                           "locked",
                                           "damaged",
                                           "storage",
                                           "wrong network",
                                           "network",
                                           "state",
                                           "secret",
                                           "unsupported",
                                           "invalid proof",
                                           "budget",
                                           "internal",
                                           "timeout",
                                           "clock",
                                           "refused",
                                           "invalid psbt"};
  static_assert(std::size(kNames) == -SPV_ERR_INVALID_PSBT + 1);
  return error <= 0 && error >= SPV_ERR_INVALID_PSBT ? kNames[-error] : kNames[-SPV_ERR_INTERNAL];
}

const char* spv_last_error(const spv_client* client) {
  if (client == nullptr) return "client is null";
  const std::lock_guard lock(client->mutex);
  const auto found = client->last_errors.find(std::this_thread::get_id());
  return found == client->last_errors.end() ? "" : found->second.c_str();
}

void spv_free(char* text) {
  if (text == nullptr) return;
  volatile char* byte = text;  // may have been a mnemonic
  for (; *byte != '\0'; ++byte) *byte = '\0';
  std::free(text);  // NOLINT: came from malloc
}

std::size_t spv_list_size(const spv_list* list) {
  if (list == nullptr) return 0;
  return std::visit([](const auto& items) { return items.size(); }, list->items);
}

void spv_list_free(spv_list* list) { delete list; }  // NOLINT: handed out by us

namespace {

/// Writes the item of a list of T as `fill` makes it.
template <typename T, typename Out, typename Fill>
int item_at(const spv_list* list, std::size_t index, Out* out, Fill fill) {
  if (list == nullptr) return SPV_ERR_INVALID_ARGUMENT;
  const auto* items = std::get_if<std::vector<T>>(&list->items);
  if (items == nullptr) return SPV_ERR_STATE;
  if (index >= items->size()) return SPV_ERR_NOT_FOUND;
  Out own{};
  fill((*items)[index], own);
  return spv::capi::give(own, out) ? SPV_OK : SPV_ERR_INVALID_ARGUMENT;
}

}  // namespace

int spv_coin_at(const spv_list* list, std::size_t index, spv_coin* coin) {
  return item_at<spv::Coin>(list, index, coin, [](const spv::Coin& item, spv_coin& out) {
    out.txid = item.txid.c_str();
    out.address = item.address.c_str();
    out.path = item.path.c_str();
    out.amount = item.amount;
    out.height = item.height.value_or(-1);
    out.vout = item.vout;
    out.confirmations = item.confirmations;
    out.spendable = item.spendable ? 1 : 0;
  });
}

int spv_tx_at(const spv_list* list, std::size_t index, spv_tx* tx) {
  return item_at<spv::HistoryEntry>(list, index, tx, [](const spv::HistoryEntry& item, spv_tx& out) {
    out.txid = item.txid.c_str();
    out.block = item.block.c_str();
    out.time = item.time;
    out.net = item.net;
    out.fee = item.fee.value_or(-1);
    out.height = item.height.value_or(-1);
    out.confirmations = item.confirmations;
    out.state = static_cast<int>(item.state);
    out.replaced_by = item.replaced_by.c_str();
  });
}

int spv_address_at(const spv_list* list, std::size_t index, spv_address* address) {
  return item_at<spv::Address>(list, index, address, [](const spv::Address& item, spv_address& out) {
    out.address = item.address.c_str();
    out.path = item.path.c_str();
    out.received = item.received;
    out.used = item.used ? 1 : 0;
  });
}

int spv_name_at(const spv_list* list, std::size_t index, const char** name) {
  if (list == nullptr || name == nullptr) return SPV_ERR_INVALID_ARGUMENT;
  const auto* names = std::get_if<std::vector<std::string>>(&list->items);
  if (names == nullptr) return SPV_ERR_STATE;
  if (index >= names->size()) return SPV_ERR_NOT_FOUND;
  *name = (*names)[index].c_str();
  return SPV_OK;
}

namespace {

void fill(const spv::TransactionEvent& told, spv_logged_event& out) {
  out.type = SPV_EVENT_TRANSACTION;
  out.wallet = told.wallet.c_str();
  out.txid = told.txid.c_str();
  out.block = told.block.c_str();
  out.replaced_by = told.replaced_by.c_str();
  out.net = told.net;
  out.height = told.height.value_or(-1);
  out.state = static_cast<std::int32_t>(told.state);
  out.output_count = told.outputs.size();
}

void fill(const spv::TipEvent& tip, spv_logged_event& out) {
  out.type = SPV_EVENT_TIP;
  out.height = tip.height;
  out.block = tip.hash.c_str();
}

void fill(const spv::ReorganisationEvent& reorg, spv_logged_event& out) {
  out.type = SPV_EVENT_REORG;
  out.height = reorg.fork_height;
  out.block = reorg.to.c_str();
  out.other = reorg.from.c_str();
}

void fill(const spv::WalletEvent& told, spv_logged_event& out) {
  out.type = SPV_EVENT_WALLET;
  out.wallet = told.wallet.c_str();
  out.state = static_cast<std::int32_t>(told.state);
}

}  // namespace

int spv_logged_event_at(const spv_list* list, std::size_t index, spv_logged_event* event) {
  return item_at<spv::LoggedEvent>(list, index, event, [](const spv::LoggedEvent& item, spv_logged_event& out) {
    out.seq = item.seq;
    out.time = item.time;
    out.wallet = out.txid = out.block = out.replaced_by = out.other = "";
    out.height = -1;
    std::visit([&](const auto& told) { fill(told, out); }, item.event);
  });
}

int spv_logged_output_at(const spv_list* list, std::size_t index, std::size_t output, spv_paid_output* paid) {
  if (list == nullptr) return SPV_ERR_INVALID_ARGUMENT;
  const auto* events = std::get_if<std::vector<spv::LoggedEvent>>(&list->items);
  if (events == nullptr) return SPV_ERR_STATE;
  const auto* told = index < events->size() ? (*events)[index].transaction() : nullptr;
  if (told == nullptr || output >= told->outputs.size()) return SPV_ERR_NOT_FOUND;
  const auto& item = told->outputs[output];
  const spv_paid_output own{0, item.address.c_str(), item.amount, item.vout, item.chain, item.index, 0};
  return spv::capi::give(own, paid) ? SPV_OK : SPV_ERR_INVALID_ARGUMENT;
}
