// headers: round trip, within the limit, and what decodes goes into a chain without harm to it.
#include "chain/header_chain.h"
#include "chain/pow.h"
#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(headers, input) {
  using namespace spv;
  const auto message = fuzz::check_payload("headers", input);
  if (!message) return;
  const auto& headers = std::get<p2p::Headers>(*message).headers;
  util::ensure(headers.size() <= p2p::kMaxHeaders, "more headers than a message may have");

  const auto& params = chain::params(chain::Network::Main);
  chain::MemoryHeaderStore store(0, params.genesis, chain::work_of_bits(params.genesis.bits));
  chain::HeaderChain chain(params, store);
  const auto result = chain.accept(headers, 2'000'000'000);
  util::ensure(result.update.added <= headers.size(), "more was added than came");
  util::ensure(headers.empty() == (result.error == chain::HeaderError::Empty), "an empty batch is told as one");
  for (chain::Height height = 1; height <= chain.height(); ++height) {
    const auto header = *chain.at(height);
    util::ensure(chain::check_proof_of_work(header.hash(), header.bits, params), "a header without work counts");
    util::ensure(header.previous == *chain.hash_at(height - 1), "a header without its parent counts");
  }
}
