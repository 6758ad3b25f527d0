// Bech32 and Bech32m as a second implementation has them, from text and from values; up to four wrong characters are
// always noticed (BIP173).
#include <set>

#include "tests/differential/reference_text.h"
#include "tests/fuzz/fuzz.h"
#include "wallet/bech32.h"

SPV_FUZZ_TARGET(bech32, input) {
  using namespace spv;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto read = wallet::bech32_decode(text);
  const auto expected = reference::from_bech32(text);
  util::ensure(read.has_value() == expected.has_value(), "another verdict on a text");
  if (read) {
    util::ensure(read->prefix == expected->prefix && read->values == expected->values, "other contents");
    util::ensure((read->variant == wallet::Bech32Variant::Bech32m) == expected->m, "another variant");
  }

  fuzz::Input rest(input);
  const auto variant = rest.chance() ? wallet::Bech32Variant::Bech32m : wallet::Bech32Variant::Bech32;
  const std::uint8_t wrong = rest.byte() % 5;
  const std::uint32_t where = rest.number();
  auto values = util::to_bytes(rest.take(70));
  const auto bytes = values;
  for (auto& value : values) value %= 32;
  auto made = wallet::bech32_encode(variant, "bc", values);
  util::ensure(made == reference::bech32({variant == wallet::Bech32Variant::Bech32m, "bc", values}), "another text");
  // Up to four characters of the data part change.
  constexpr std::string_view kAlphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  std::set<std::size_t> places;
  for (unsigned n = 0; n < wrong; ++n) places.insert(3 + (where >> (7 * n) & 127U) % (made.size() - 3));
  for (const std::size_t at : places) made[at] = kAlphabet[(kAlphabet.find(made[at]) + 1 + where % 31) % 32];
  const auto back = wallet::bech32_decode(made);
  if (places.empty()) {
    util::ensure(back && back->values == values && back->variant == variant, "values do not come back");
  } else {
    util::ensure(!back || back->variant != variant, "wrong characters are not noticed");
  }
  const auto five = wallet::to_five_bits(bytes);
  util::ensure(wallet::from_five_bits(five) == bytes, "bytes do not come back from five bits");
}
