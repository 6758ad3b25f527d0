#include "capi/handles.h"

#include <cstdlib>
#include <exception>
#include <new>

namespace spv::capi {

int fail(const spv_client* client, ErrorCode code, std::string message) {
  if (client != nullptr) {
    const std::lock_guard lock(client->mutex);
    client->last_error = std::move(message);
  }
  return static_cast<int>(code);
}

int fail(const spv_client* client, const Error& error) { return fail(client, error.code, error.message); }

int fail_with_exception(const spv_client* client) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fail(client, ErrorCode::Storage, "");
  } catch (const std::exception& error) {
    return fail(client, ErrorCode::Internal, error.what());
  } catch (...) {
    return fail(client, ErrorCode::Internal, "an unknown exception");
  }
}

char* copy(std::string_view text) {
  auto* out = static_cast<char*>(std::malloc(text.size() + 1));  // NOLINT: freed by spv_free
  if (out == nullptr) return nullptr;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return out;
}

}  // namespace spv::capi

const char* spv_version(void) { return spv::version(); }

const char* spv_error_name(int error) {
  switch (error) {
    case SPV_OK:
      return "ok";
    case SPV_ERR_INVALID_ARGUMENT:
      return "invalid argument";
    case SPV_ERR_NOT_FOUND:
      return "not found";
    case SPV_ERR_EXISTS:
      return "exists";
    case SPV_ERR_LOCKED:
      return "locked";
    case SPV_ERR_DAMAGED:
      return "damaged";
    case SPV_ERR_STORAGE:
      return "storage";
    case SPV_ERR_WRONG_NETWORK:
      return "wrong network";
    case SPV_ERR_NETWORK:
      return "network";
    case SPV_ERR_STATE:
      return "state";
    case SPV_ERR_SECRET:
      return "secret";
    case SPV_ERR_UNSUPPORTED:
      return "unsupported";
    case SPV_ERR_INVALID_PROOF:
      return "invalid proof";
    case SPV_ERR_BUDGET:
      return "budget";
    case SPV_ERR_TIMEOUT:
      return "timeout";
    default:
      return "internal";
  }
}

const char* spv_last_error(const spv_client* client) {
  if (client == nullptr) return "no client";
  const std::lock_guard lock(client->mutex);
  client->shown_error = client->last_error;
  return client->shown_error.c_str();
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

/// The item of a list of T; null with the reason in `error`.
template <typename T>
const T* item_at(const spv_list* list, std::size_t index, int& error) {
  const auto* items = list == nullptr ? nullptr : std::get_if<std::vector<T>>(&list->items);
  error = list == nullptr ? SPV_ERR_INVALID_ARGUMENT : items == nullptr ? SPV_ERR_STATE : SPV_ERR_NOT_FOUND;
  return items == nullptr || index >= items->size() ? nullptr : &(*items)[index];
}

int given(bool done) { return done ? SPV_OK : SPV_ERR_INVALID_ARGUMENT; }

}  // namespace

int spv_coin_at(const spv_list* list, std::size_t index, spv_coin* coin) {
  int error = SPV_OK;
  const auto* item = item_at<spv::Coin>(list, index, error);
  if (item == nullptr) return error;
  spv_coin own{};
  own.txid = item->txid.c_str();
  own.address = item->address.c_str();
  own.path = item->path.c_str();
  own.amount = item->amount;
  own.height = item->height.value_or(-1);
  own.vout = item->vout;
  own.confirmations = item->confirmations;
  own.spendable = item->spendable ? 1 : 0;
  return given(spv::capi::give(own, coin));
}

int spv_tx_at(const spv_list* list, std::size_t index, spv_tx* tx) {
  int error = SPV_OK;
  const auto* item = item_at<spv::HistoryEntry>(list, index, error);
  if (item == nullptr) return error;
  spv_tx own{};
  own.txid = item->txid.c_str();
  own.block = item->block.c_str();
  own.time = item->time;
  own.net = item->net;
  own.fee = item->fee.value_or(-1);
  own.height = item->height.value_or(-1);
  own.confirmations = item->confirmations;
  own.state = static_cast<int>(item->state);
  return given(spv::capi::give(own, tx));
}

int spv_address_at(const spv_list* list, std::size_t index, spv_address* address) {
  int error = SPV_OK;
  const auto* item = item_at<spv::Address>(list, index, error);
  if (item == nullptr) return error;
  spv_address own{};
  own.address = item->address.c_str();
  own.path = item->path.c_str();
  own.received = item->received;
  own.used = item->used ? 1 : 0;
  return given(spv::capi::give(own, address));
}
