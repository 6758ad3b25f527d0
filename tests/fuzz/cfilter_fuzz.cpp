// The answers of BIP157 (cfilter, cfheaders, cfcheckpt): round trip, and no more hashes than there are bytes for.
#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(cfilter, input) {
  using namespace spv;
  if (const auto message = fuzz::check_payload("cfilter", input)) {
    util::ensure(std::get<p2p::CFilter>(*message).filter.size() < input.size(), "a filter of more bytes than came");
  }
  if (const auto message = fuzz::check_payload("cfheaders", input)) {
    const auto& hashes = std::get<p2p::CFHeaders>(*message).filter_hashes;
    util::ensure(hashes.size() <= p2p::kMaxFilterHeaders, "more hashes than a message may have");
    util::ensure(hashes.size() * util::FilterHash::kSize < input.size(), "more hashes than there are bytes for");
  }
  if (const auto message = fuzz::check_payload("cfcheckpt", input)) {
    const auto& headers = std::get<p2p::CFCheckpt>(*message).filter_headers;
    util::ensure(headers.size() * util::FilterHeader::kSize < input.size(), "more headers than there are bytes for");
  }
}
