// Descriptors: what is parsed prints a canonical text that parses to itself, with the checksum of a second
// implementation, and gives the same scripts; a wrong checksum is refused.
#include "tests/differential/reference_text.h"
#include "tests/fuzz/fuzz.h"
#include "wallet/account.h"
#include "wallet/descriptor.h"

SPV_FUZZ_TARGET(descriptor, input) {
  using namespace spv;
  if (input.size() > 1'000) return;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  for (const auto network : {chain::Network::Main, chain::Network::Regtest}) {
    const auto& params = chain::params(network);
    const auto xpub = wallet::descriptors_of_xpub(text, std::nullopt, params);
    if (!xpub) util::ensure(!xpub.error().message.empty(), "no reason is given");
    const auto parsed = wallet::Descriptor::parse(text, params);
    if (!parsed) {
      util::ensure(!parsed.error().message.empty(), "no reason is given");
      continue;
    }
    util::ensure(!parsed->empty(), "a parse without a descriptor");
    for (const auto& descriptor : *parsed) {
      const std::string canonical = descriptor.to_string();
      const auto hash = canonical.rfind('#');
      util::ensure(hash != std::string::npos, "no checksum");
      util::ensure(canonical.substr(hash + 1) == reference::descriptor_checksum(canonical.substr(0, hash)), "checksum");
      const auto again = wallet::Descriptor::parse(canonical, params);
      util::ensure(again && again->size() == 1 && again->front().to_string() == canonical, "not canonical");
      for (const std::uint32_t index : {0U, 1U, 0x7FFF'FFFFU}) {
        const auto script = descriptor.script_at(index);
        util::ensure(script == again->front().script_at(index), "other scripts after a round trip");
        if (!descriptor.is_ranged()) util::ensure(script == descriptor.script_at(0), "an index without a wildcard");
        util::ensure(descriptor.path_at(index) == again->front().path_at(index), "another path");
      }
      std::string wrong = canonical;
      wrong.back() = wrong.back() == 'q' ? 'p' : 'q';
      util::ensure(!wallet::Descriptor::parse(wrong, params), "a wrong checksum is taken");
    }
  }
}
