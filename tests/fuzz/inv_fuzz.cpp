// inv: round trip, within the limit of entries; the same bytes as getdata and notfound are the same entries.
#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(inv, input) {
  using namespace spv;
  const auto message = fuzz::check_payload("inv", input);
  const auto getdata = fuzz::check_payload("getdata", input);
  const auto notfound = fuzz::check_payload("notfound", input);
  util::ensure(message.has_value() == getdata.has_value() && message.has_value() == notfound.has_value(),
               "lists of entries differ by their command");
  if (!message) return;
  const auto& items = std::get<p2p::Inv>(*message).items;
  util::ensure(items.size() <= p2p::kMaxInventory, "more entries than a message may have");
  util::ensure(items == std::get<p2p::GetData>(*getdata).items, "getdata reads otherwise");
  util::ensure(items == std::get<p2p::NotFound>(*notfound).items, "notfound reads otherwise");
}
