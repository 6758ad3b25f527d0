#include "tests/differential/reference_bloom.h"

#include <optional>

#include "util/hash.h"

namespace spv::reference {
namespace {

std::uint32_t rotated(std::uint32_t value, unsigned by) { return (value << by) | (value >> (32 - by)); }

struct Op {
  unsigned code = 0;
  util::Bytes data;
};

// All operations up to the end or to the first that runs over it; `whole` says which.
std::vector<Op> operations(util::ByteView script, bool& whole) {
  std::vector<Op> out;
  std::size_t at = 0;
  while (at < script.size()) {
    Op op{script[at++], {}};
    std::size_t length = op.code <= 75 ? op.code : 0;
    if (op.code >= 76 && op.code <= 78) {
      const std::size_t width = std::size_t{1} << (op.code - 76);
      if (script.size() - at < width) break;
      for (std::size_t i = 0; i < width; ++i) length += std::size_t{script[at + i]} << (8 * i);
      at += width;
    }
    if (script.size() - at < length) {
      whole = false;
      return out;
    }
    op.data.assign(script.begin() + static_cast<std::ptrdiff_t>(at),
                   script.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
    out.push_back(std::move(op));
    if (at == script.size()) {
      whole = true;
      return out;
    }
  }
  whole = script.empty();
  return out;
}

bool is_key(const util::Bytes& data) {
  if (data.size() == 33) return data[0] == 2 || data[0] == 3;
  return data.size() == 65 && (data[0] == 4 || data[0] == 6 || data[0] == 7);
}

int key_count(const Op& op) {
  if (op.code >= 0x51 && op.code <= 0x60) return static_cast<int>(op.code) - 0x50;
  if (op.code == 1 && op.data[0] >= 17 && op.data[0] <= 20) return op.data[0];
  return 0;
}

bool pays_key_or_multisig(util::ByteView script) {
  bool whole = false;
  const auto ops = operations(script, whole);
  if (!whole) return false;
  // <key> CHECKSIG, the key by the shortest push
  if (ops.size() == 2 && is_key(ops[0].data) && ops[0].code == ops[0].data.size() && ops[1].code == 0xAC) return true;
  // m <key>... n CHECKMULTISIG
  if (ops.size() < 4 || ops.back().code != 0xAE) return false;
  const int required = key_count(ops[0]);
  const int total = key_count(ops[ops.size() - 2]);
  if (required == 0 || total == 0 || required > total) return false;
  if (ops.size() != static_cast<std::size_t>(total) + 3) return false;
  for (std::size_t i = 1; i + 2 < ops.size(); ++i) {
    if (!is_key(ops[i].data)) return false;
  }
  return true;
}

}  // namespace

std::uint32_t murmur3(std::uint32_t seed, util::ByteView data) {
  const auto mixed = [](std::uint32_t k) { return rotated(k * 0xcc9e2d51U, 15) * 0x1b873593U; };
  std::uint32_t h = seed;
  std::uint32_t k = 0;
  std::size_t held = 0;
  for (const std::uint8_t byte : data) {
    k |= std::uint32_t{byte} << (8 * held);
    if (++held < 4) continue;
    h = rotated(h ^ mixed(k), 13) * 5 + 0xe6546b64U;
    k = 0;
    held = 0;
  }
  if (held > 0) h ^= mixed(k);
  h ^= static_cast<std::uint32_t>(data.size());
  h ^= h >> 16;
  h *= 0x85ebca6bU;
  h ^= h >> 13;
  h *= 0xc2b2ae35U;
  return h ^ (h >> 16);
}

void Bloom::insert(util::ByteView element) {
  if (bits.empty()) return;
  for (std::uint32_t i = 0; i < hash_funcs; ++i) bits[murmur3(i * 0xFBA4C795U + tweak, element) % bits.size()] = true;
}

bool Bloom::contains(util::ByteView element) const {
  if (bits.empty()) return true;
  for (std::uint32_t i = 0; i < hash_funcs; ++i) {
    if (!bits[murmur3(i * 0xFBA4C795U + tweak, element) % bits.size()]) return false;
  }
  return true;
}

bool Bloom::match_and_update(const chain::Transaction& tx) {
  if (bits.empty()) return true;
  const auto txid = util::sha256d(tx.serialize(chain::Witness::Strip));
  const auto any_push = [this](util::ByteView script) {
    bool whole = false;
    for (const auto& op : operations(script, whole)) {
      if (!op.data.empty() && contains(op.data)) return true;
    }
    return false;
  };
  bool found = contains(txid.view());
  for (std::uint32_t i = 0; i < tx.outputs.size(); ++i) {
    const auto& script = tx.outputs[i].script_pubkey;
    if (!any_push(script)) continue;
    found = true;
    if (flags == 1 || (flags == 2 && pays_key_or_multisig(script))) {
      insert(util::Writer().bytes(txid.view()).integer(i).data());
    }
  }
  if (found) return true;
  for (const auto& input : tx.inputs) {
    const auto outpoint = util::Writer().bytes(input.previous.txid.view()).integer(input.previous.index).take();
    if (contains(outpoint) || any_push(input.script_sig)) return true;
  }
  return false;
}

util::Bytes Bloom::bytes() const {
  util::Bytes out(bits.size() / 8);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) out[i / 8] = static_cast<std::uint8_t>(out[i / 8] + (1U << (i % 8)));
  }
  return out;
}

}  // namespace spv::reference
