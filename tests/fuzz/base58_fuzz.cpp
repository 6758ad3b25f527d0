// Base58 and Base58Check as a second implementation has them, from text and from bytes.
#include <algorithm>

#include "tests/differential/reference_text.h"
#include "tests/fuzz/fuzz.h"
#include "wallet/base58.h"

SPV_FUZZ_TARGET(base58, input) {
  using namespace spv;
  if (input.size() > 120) return;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto plain = wallet::base58_decode(text, 1'000);
  const auto expected = reference::from_base58(text);
  util::ensure(plain.has_value() == expected.has_value(), "another verdict on a text");
  util::ensure(wallet::bad_base58_character(text).has_value() != plain.has_value(), "which character is bad");
  if (plain) {
    util::ensure(std::ranges::equal(*plain, *expected), "other bytes");
    util::ensure(wallet::base58_encode(*plain) == text, "two texts of the same bytes");
    const auto limited = wallet::base58_decode(text, plain->size());
    util::ensure(limited && std::ranges::equal(*limited, *plain), "a limit that is just enough");
    if (!plain->empty()) util::ensure(!wallet::base58_decode(text, plain->size() - 1), "a limit is passed");
  }
  const auto checked = wallet::base58check_decode(text, 1'000);
  util::ensure(checked.has_value() == reference::from_base58check(text).has_value(), "another verdict on a checksum");

  util::ensure(wallet::base58_encode(input) == reference::base58(input), "another text of the bytes");
  const auto round = wallet::base58check_encode(input);
  const auto back = wallet::base58check_decode(round, input.size());
  util::ensure(back && std::ranges::equal(*back, input), "a payload does not come back");
  const auto secret = wallet::base58check_encode_secret(input);
  util::ensure(std::ranges::equal(secret, util::as_bytes(round)), "the secret form is another text");
}
