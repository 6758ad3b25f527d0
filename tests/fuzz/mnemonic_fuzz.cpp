// Mnemonics (BIP39): what is taken is the one sentence of its entropy, and every entropy has one.
#include <algorithm>

#include "tests/fuzz/fuzz.h"
#include "wallet/mnemonic.h"

SPV_FUZZ_TARGET(mnemonic, input) {
  using namespace spv;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto parsed = wallet::Mnemonic::parse(text);
  if (parsed) {
    const auto again = wallet::Mnemonic::from_entropy(parsed->entropy());
    util::ensure(again.text() == parsed->text(), "two sentences of one entropy");
  } else {
    util::ensure(!parsed.error().message.empty(), "no reason is given");
  }
  const std::size_t size = input.empty() ? 0 : 16 + 4 * (input[0] % 5U);
  if (input.size() < 1 + size || size == 0) return;
  const auto entropy = input.subspan(1, size);
  const auto made = wallet::Mnemonic::from_entropy(entropy);
  const auto back = wallet::Mnemonic::parse(made.text());
  util::ensure(back && std::ranges::equal(back->entropy(), entropy), "an entropy does not come back");
}
