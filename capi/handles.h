// What stands behind the opaque handles of the C ABI, and how structs with a size are read and written.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <spv/client.h>
#include <spv/spv.h>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): the names of the C header.
struct spv_client {
  std::optional<spv::Client> client;  // nothing if it could not be opened
  mutable std::mutex mutex;           // of the texts
  mutable std::map<std::thread::id, std::string> last_errors;
  std::atomic<bool> interrupted = false;  // nobody waits for events any more
  spv::Event event;                       // what the strings of the last event belong to
};

struct spv_list {
  std::variant<std::vector<spv::Coin>, std::vector<spv::HistoryEntry>, std::vector<spv::Address>,
               std::vector<std::string>, std::vector<spv::LoggedEvent>>
      items;
};

struct spv_payment {
  spv::Payment payment;
};
// NOLINTEND(readability-identifier-naming)

namespace spv::capi {

/// Keeps what spv_last_error says to this thread.
void note(const spv_client* client, std::string_view message) noexcept;
/// Notes the error and gives its code. Where there is no memory for its text, that is empty.
int fail(const spv_client* client, ErrorCode code, std::string_view message) noexcept;
int fail(const spv_client* client, const Error& error) noexcept;
/// The error that is being handled.
int fail_with_exception(const spv_client* client) noexcept;

/// Calls it with an open client; nothing is thrown into the caller.
template <typename Call>
int call(spv_client* client, Call what) {
  if (client == nullptr) return SPV_ERR_INVALID_ARGUMENT;
  note(client, "");
  try {
    if (!client->client) return fail(client, ErrorCode::State, "the client is not open");
    return what(*client->client);
  } catch (...) {
    return fail_with_exception(client);
  }
}

/// Larger than any struct will be: a size beyond it was never set.
constexpr std::size_t kMaxStructSize = 4'096;

/// A struct of the caller's as this library knows it; what it does not have is zero. One whose size was not set is
/// refused, and so is a field that this library does not know: to pass over a passphrase would be worse.
template <typename T>
Result<T> take(const T* given) {
  T own{};
  if (given == nullptr) return own;
  const std::size_t size = given->struct_size;
  if (size < sizeof size || size > kMaxStructSize) {
    return Error{ErrorCode::InvalidArgument, "struct_size is not set; set it to the size of the struct"};
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);  // NOLINT: may be larger than T
  if (std::any_of(bytes + std::min(size, sizeof own), bytes + size, [](unsigned char byte) { return byte != 0; })) {
    return Error{ErrorCode::Unsupported, "an option is set that this version of the library does not support"};
  }
  std::memcpy(&own, bytes, std::min(size, sizeof own));
  return own;
}

/// False if there is no struct, or one whose size was not set.
template <typename T>
bool can_give(const T* out) {
  return out != nullptr && out->struct_size >= sizeof out->struct_size && out->struct_size <= kMaxStructSize;
}

/// Writes as much as the caller has room for; false if that makes no sense.
template <typename T>
bool give(T own, T* out) {
  if (!can_give(out)) return false;
  const std::size_t size = std::min(out->struct_size, sizeof own);
  own.struct_size = out->struct_size;
  std::memcpy(out, &own, size);
  return true;
}

/// A copy that spv_free frees; null where there is no memory.
char* copy(std::string_view text);

inline std::string_view text_of(const char* text, std::size_t size) {
  return text == nullptr ? "" : std::string_view(text, size);
}
inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }
/// A secret that is half given must not count as none: the seed would lie open.
inline bool is_half_given(const char* text, std::size_t size) { return (text == nullptr) != (size == 0); }

/// What a function returns: success, or the error that is noted.
int done(const spv_client* client, const Result<void>& result);
int missing(const spv_client* client);
int give_text(const spv_client* client, std::string_view text, char** out);

}  // namespace spv::capi
