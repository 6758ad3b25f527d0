// A header: round trip, hash, and target, work and proof of work as a second implementation has them.
#include <algorithm>

#include "chain/pow.h"
#include "tests/differential/reference_headers.h"
#include "tests/fuzz/fuzz.h"
#include "util/hash.h"

SPV_FUZZ_TARGET(header, input) {
  using namespace spv;
  util::Reader in(input);
  const auto header = chain::BlockHeader::decode(in);
  util::ensure(in.ok() == (input.size() >= chain::BlockHeader::kSize), "a header is 80 bytes");
  if (!in.ok()) return;
  const auto bytes = input.first<chain::BlockHeader::kSize>();
  util::ensure(std::ranges::equal(header.bytes(), bytes), "other bytes come back");
  util::ensure(std::ranges::equal(util::Writer().bytes(header.bytes()).data(), bytes), "other bytes are written");
  util::ensure(chain::BlockHeader::from_bytes(bytes) == header, "two readings of one header");
  util::ensure(header.hash().bytes == util::sha256d(bytes).bytes, "the hash");

  const auto target = chain::decode_bits(header.bits);
  const auto expected = reference::target_of(header.bits);
  util::ensure(target.has_value() == expected.has_value(), "a target or none");
  util::ensure(
      reference::number_of(chain::work_of_bits(header.bits).to_little_endian()) == reference::work_of(header.bits),
      "the work");
  if (target) util::ensure(reference::number_of(target->to_little_endian()) == *expected, "the target");
  if (target) util::ensure(chain::encode_bits(*target) == reference::bits_of(*expected), "the bits of a target");
  for (const auto network : {chain::Network::Main, chain::Network::Regtest, chain::Network::Signet}) {
    const auto& params = chain::params(network);
    util::ensure(chain::check_proof_of_work(header.hash(), header.bits, params) == reference::has_work(header, params),
                 "proof of work");
  }
}
