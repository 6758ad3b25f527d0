#include "tests/support/scripts.h"

#include "util/ensure.h"
#include "util/hash.h"

namespace spv::test {
namespace {

constexpr std::uint8_t kPushData1 = 0x4C;
constexpr std::uint8_t kPushData2 = 0x4D;
constexpr std::uint8_t kOp1 = 0x51;
constexpr std::uint8_t kReturn = 0x6A;
constexpr std::uint8_t kDup = 0x76;
constexpr std::uint8_t kEqual = 0x87;
constexpr std::uint8_t kEqualVerify = 0x88;
constexpr std::uint8_t kHash160 = 0xA9;
constexpr std::uint8_t kCheckSig = 0xAC;
constexpr std::uint8_t kCheckMultisig = 0xAE;

std::uint8_t byte(std::size_t value) { return static_cast<std::uint8_t>(value & 0xFFU); }

util::Bytes witness_program(std::uint8_t version_opcode, util::ByteView program) {
  return concat({op(version_opcode), push(program)});
}

}  // namespace

util::Bytes push(util::ByteView data) {
  util::ensure(data.size() <= 0xFFFF, "a test pushes too much");
  util::Bytes out;
  if (data.size() >= kPushData1) out.push_back(data.size() <= 0xFF ? kPushData1 : kPushData2);
  out.push_back(byte(data.size()));
  if (data.size() > 0xFF) out.push_back(byte(data.size() >> 8U));
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

util::Bytes concat(std::initializer_list<util::ByteView> parts) {
  util::Bytes out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

util::Bytes op(std::uint8_t opcode) { return {opcode}; }

util::Bytes p2pk(util::ByteView public_key) { return concat({push(public_key), op(kCheckSig)}); }

util::Bytes p2pkh(util::ByteView hash20) {
  return concat({op(kDup), op(kHash160), push(hash20), op(kEqualVerify), op(kCheckSig)});
}

util::Bytes p2sh(util::ByteView hash20) { return concat({op(kHash160), push(hash20), op(kEqual)}); }

util::Bytes p2wpkh(util::ByteView hash20) { return witness_program(0, hash20); }
util::Bytes p2wsh(util::ByteView hash32) { return witness_program(0, hash32); }
util::Bytes p2tr(util::ByteView output_key) { return witness_program(kOp1, output_key); }

util::Bytes multisig(unsigned required, std::initializer_list<util::ByteView> public_keys) {
  util::Bytes out = op(byte(kOp1 - 1U + required));
  for (const auto& key : public_keys) out = concat({out, push(key)});
  return concat({out, op(byte(kOp1 - 1U + public_keys.size())), op(kCheckMultisig)});
}

util::Bytes op_return(util::ByteView data) { return concat({op(kReturn), push(data)}); }
util::Bytes op_true() { return op(kOp1); }
util::Bytes p2wsh_op_true() { return p2wsh(util::sha256(op_true()).view()); }

util::Bytes push_height(std::int32_t height) {
  util::ensure(height >= 0, "a block has no negative height");
  if (height == 0) return op(0);
  if (height <= 16) return op(byte(kOp1 - 1U + static_cast<unsigned>(height)));
  util::Bytes number;
  for (auto rest = static_cast<std::uint32_t>(height); rest != 0; rest >>= 8U) number.push_back(byte(rest));
  if (number.back() >= 0x80) number.push_back(0);  // the top bit is the sign
  return push(number);
}

}  // namespace spv::test
