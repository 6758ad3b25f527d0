#include "bip37/tx_proof.h"

#include <charconv>

#include "chain/pow.h"
#include "util/hash.h"
#include "util/hex.h"

namespace spv::bip37 {
namespace {

constexpr std::string_view kTitle = "spv proof 1\n";

std::string hex_of(const std::vector<chain::BlockHeader>& headers) {
  util::Writer out;
  for (const auto& header : headers) header.encode(out);
  return util::to_hex(out.data());
}

std::string merkleblock_hex(const TxProof& proof) {
  util::Writer out;
  proof.header.encode(out);
  proof.tree.encode(out);
  return util::to_hex(out.data());
}

/// Takes the lines "NAME VALUE" in their order; the first that is missing makes all of them fail.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::string_view value(std::string_view name) {
    const auto end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    ok_ = ok_ && end != std::string_view::npos && line.starts_with(name) && line.substr(name.size()).starts_with(' ');
    if (!ok_) return {};
    rest_.remove_prefix(end + 1);
    return line.substr(name.size() + 1);
  }
  util::Bytes bytes(std::string_view name) {
    auto bytes = util::from_hex(value(name));
    ok_ = ok_ && bytes;
    return ok_ ? std::move(*bytes) : util::Bytes();
  }
  chain::Height height() {
    const auto text = value("height");
    chain::Height height = -1;
    std::from_chars(text.data(), text.data() + text.size(), height);
    ok_ = ok_ && height >= 0;
    return height;
  }
  void fail() { ok_ = false; }
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

void read_merkleblock(util::ByteView bytes, TxProof& proof, Lines& lines) {
  util::Reader in(bytes);
  proof.header = chain::BlockHeader::decode(in);
  proof.tree = PartialMerkleTree::decode(in);
  if (!in.done()) lines.fail();
}

void read_headers(util::ByteView bytes, TxProof& proof, Lines& lines) {
  util::Reader in(bytes);
  if (bytes.size() > kMaxFollowing * chain::BlockHeader::kSize) return lines.fail();
  while (in.remaining() >= chain::BlockHeader::kSize) proof.following.push_back(chain::BlockHeader::decode(in));
  if (!in.done()) lines.fail();
}

}  // namespace

std::string_view to_string(ProofError error) {
  switch (error) {
    case ProofError::NotAProof:
      return "not a proof made by spv";
    case ProofError::Malformed:
      return "damaged: not in the format of a proof";
    case ProofError::BadChecksum:
      return "damaged: wrong checksum";
    case ProofError::BadTransaction:
      return "the transaction breaks a consensus rule";
    case ProofError::BadTree:
      return "invalid merkle tree";
    case ProofError::WrongTransaction:
      return "the merkle tree does not contain this transaction";
    case ProofError::WrongRoot:
      return "the merkle root differs from the block header";
    case ProofError::BrokenLink:
      return "the headers are not connected";
    case ProofError::NoWork:
      return "a header has no valid proof of work";
    case ProofError::WrongCheckpoint:
      return "a checkpoint has another block at this height";
  }
  return "unknown";
}

std::string encode_proof(const TxProof& proof) {
  std::string text(kTitle);
  text += "network " + std::string(chain::params(proof.network).name) + "\n";
  text += "height " + std::to_string(proof.height) + "\n";
  text += "transaction " + util::to_hex(proof.tx.serialize()) + "\n";
  text += "merkleblock " + merkleblock_hex(proof) + "\n";
  text += "headers " + hex_of(proof.following) + "\n";
  text += "checksum " + util::to_hex(util::sha256d(util::as_bytes(text)).view()) + "\n";
  return text;
}

std::string plain_proof_text(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  std::string out;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto kept = line.substr(0, line.find_last_not_of(kSpaces) + 1);
    out += kept;
    if (kept == "headers") out += ' ';  // none follow the block: the one line with an empty value
    out += '\n';
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

util::Expected<TxProof, ProofError> parse_proof(std::string_view text) {
  if (!text.starts_with(kTitle) || text.size() > kMaxProofText) return util::Unexpected{ProofError::NotAProof};
  Lines lines(text.substr(kTitle.size()));
  TxProof proof;
  const auto network = chain::parse_network(lines.value("network"));
  if (!network) return util::Unexpected{ProofError::Malformed};
  proof.network = *network;
  proof.height = lines.height();
  auto tx = chain::Transaction::parse(lines.bytes("transaction"));
  if (!tx) return util::Unexpected{ProofError::Malformed};
  proof.tx = std::move(*tx);
  read_merkleblock(lines.bytes("merkleblock"), proof, lines);
  read_headers(lines.bytes("headers"), proof, lines);
  const auto checksum = lines.value("checksum");
  if (!lines.done()) return util::Unexpected{ProofError::Malformed};
  const std::string canonical = encode_proof(proof);
  if (canonical == text) return proof;
  return util::Unexpected{canonical.ends_with(std::string(checksum) + "\n") ? ProofError::Malformed
                                                                            : ProofError::BadChecksum};
}

util::Expected<void, ProofError> check_membership(const TxProof& proof) {
  if (!chain::check_structure(proof.tx)) return util::Unexpected{ProofError::BadTransaction};
  const auto found = extract_matches(proof.tree);
  if (!found) return util::Unexpected{ProofError::BadTree};
  if (found->matches.size() != 1 || found->matches[0].txid != proof.tx.txid()) {
    return util::Unexpected{ProofError::WrongTransaction};
  }
  if (found->root != proof.header.merkle_root) return util::Unexpected{ProofError::WrongRoot};
  return {};
}

util::Expected<chain::Uint256, ProofError> check_own_work(const TxProof& proof) {
  const auto& params = chain::params(proof.network);
  chain::Uint256 work;
  chain::BlockHash previous = proof.header.previous;
  chain::Height height = proof.height;
  const auto check = [&](const chain::BlockHeader& header) -> util::Expected<void, ProofError> {
    const auto hash = header.hash();
    if (header.previous != previous) return util::Unexpected{ProofError::BrokenLink};
    if (!chain::check_proof_of_work(hash, header.bits, params)) return util::Unexpected{ProofError::NoWork};
    for (const auto& checkpoint : params.checkpoints) {
      if (checkpoint.height == height && checkpoint.hash != hash) return util::Unexpected{ProofError::WrongCheckpoint};
    }
    work = work + chain::work_of_bits(header.bits);
    previous = hash;
    ++height;
    return {};
  };
  if (const auto ok = check(proof.header); !ok) return util::Unexpected{ok.error()};
  for (const auto& header : proof.following) {
    if (const auto ok = check(header); !ok) return util::Unexpected{ok.error()};
  }
  return work;
}

}  // namespace spv::bip37
