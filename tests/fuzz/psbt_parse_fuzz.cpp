// PSBTs: what is read is written back byte for byte, in base64 too, and survives the way to the other version and back.
#include "tests/fuzz/fuzz.h"
#include "wallet/spend/psbt.h"

SPV_FUZZ_TARGET(psbt_parse, input) {
  using namespace spv;
  namespace spend = wallet::spend;
  const auto psbt = spend::read_psbt(input);
  if (!psbt) {
    util::ensure(!psbt.error().message.empty(), "no reason is given");
    return;
  }
  const auto bytes = spend::serialize(*psbt);
  const auto again = spend::parse_psbt(bytes);
  util::ensure(again && *again == *psbt, "another PSBT after a round trip");
  const auto text = spend::to_base64(*psbt);
  util::ensure(spend::read_psbt(util::as_bytes(text)).has_value(), "base64 of it is not read");
  if (input[0] == 'p') util::ensure(std::ranges::equal(bytes, input), "written otherwise than read");
  const auto other = spend::parse_psbt(spend::serialize(spend::to_version(*psbt, 2 - psbt->version)));
  util::ensure(other && other->tx == psbt->tx, "another transaction in the other version");
  util::ensure(spend::validate(*psbt).has_value(), "read, but not valid");
}
