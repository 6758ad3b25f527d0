// Addresses on every network as a second implementation has them: text to script and back, script to text and back.
#include <algorithm>

#include "tests/differential/reference_text.h"
#include "tests/fuzz/fuzz.h"
#include "wallet/address.h"

SPV_FUZZ_TARGET(address, input) {
  using namespace spv;
  if (input.size() > 120) return;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  for (const auto network : {chain::Network::Main, chain::Network::Testnet4, chain::Network::Regtest}) {
    const auto& params = chain::params(network);
    const auto script = wallet::script_of_address(text, params);
    const auto expected = reference::script_of(text, params);
    util::ensure(script.has_value() == expected.has_value(), "another verdict on an address");
    if (script) {
      util::ensure(*script == *expected, "another script");
      const auto again = wallet::address_of_script(*script, params);
      util::ensure(again && wallet::script_of_address(*again, params).value() == *script, "its address is not it");
    } else {
      util::ensure(!script.error().message.empty(), "no reason is given");
    }
    const auto address = wallet::address_of_script(input, params);
    util::ensure(address == reference::address_of(input, params), "another address of a script");
    if (address)
      util::ensure(std::ranges::equal(wallet::script_of_address(*address, params).value(), input),
                   "it leads elsewhere");
  }
}
