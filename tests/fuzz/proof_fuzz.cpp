// Proof files: what is parsed is spelt in one way; what passes is proven by a second implementation of the merkle tree;
// and a proof made from a block, with lines changed by the input under a right checksum, proves nothing else.
#include "bip37/tx_proof.h"
#include "tests/differential/reference_headers.h"
#include "tests/differential/reference_merkle.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "util/hash.h"
#include "util/hex.h"

namespace {

using namespace spv;

std::string sample_text() {
  test::ChainBuilder chain;
  chain.blocks(2);
  std::vector<chain::Transaction> txs;
  for (std::uint64_t i = 0; i < 4; ++i) txs.push_back(test::TxBuilder(i).pays(test::op_true(), 5).build());
  chain.block(txs).blocks(3);
  const auto& block = chain.block(3);
  bip37::TxProof proof{.network = chain::Network::Regtest,
                       .height = 3,
                       .tx = block.txs[2],
                       .header = block.header,
                       .tree = {},
                       .following = chain.headers(4)};
  std::vector<bool> marks(block.txids.size());
  marks[2] = true;
  proof.tree = bip37::build_partial_tree(block.txids, marks);
  return bip37::encode_proof(proof);
}

// The text with the right checksum in its last line.
std::string with_checksum(std::string text) {
  const auto line = text.rfind("checksum ");
  if (line == std::string::npos) return text;
  text.resize(line);
  return text + "checksum " + util::to_hex(util::sha256d(util::as_bytes(text)).view()) + "\n";
}

void check(const std::string& text) {
  const auto proof = bip37::parse_proof(text);
  if (!proof) return;
  util::ensure(bip37::encode_proof(*proof) == text, "a proof is spelt in two ways");
  util::ensure(proof->following.size() <= bip37::kMaxFollowing, "more headers than a proof may have");
  if (bip37::check_membership(*proof)) {
    const auto found = reference::extract(proof->tree);
    util::ensure(found && found->root.bytes == proof->header.merkle_root.bytes,
                 "the tree does not belong to the block");
    const auto txid = util::sha256d(proof->tx.serialize(chain::Witness::Strip));
    util::ensure(found->matches.size() == 1 && found->matches[0].second == txid, "it proves another transaction");
  }
  if (const auto work = bip37::check_own_work(*proof)) {
    const auto& params = chain::params(proof->network);
    reference::Number sum = reference::work_of(proof->header.bits);
    util::ensure(reference::has_work(proof->header, params), "a block without work");
    auto previous = proof->header.hash();
    for (const auto& header : proof->following) {
      util::ensure(header.previous == previous && reference::has_work(header, params),
                   "a header that counts for nothing");
      sum += reference::work_of(header.bits);
      previous = header.hash();
    }
    util::ensure(reference::number_of(work->to_little_endian()) == sum, "another sum of work");
  }
}

}  // namespace

SPV_FUZZ_TARGET(proof, input) {
  static const std::string sample = sample_text();
  fuzz::Input rest(input);
  std::string text = sample;
  const std::uint8_t kind = rest.byte();
  if (kind % 2 == 0) {
    text.assign(rest.rest().begin(), rest.rest().end());
  } else {
    while (!rest.empty()) {
      const std::size_t place = rest.word() % text.size();
      const std::uint8_t value = rest.byte();
      if (value == 0) {
        text.erase(place, rest.byte());
      } else if (value < 16) {
        text.insert(place, 1, "0123456789abcdef"[value]);
      } else {
        text[place] = static_cast<char>(value);
      }
      if (text.empty()) return;
    }
  }
  check(text);
  check(with_checksum(text));
}
