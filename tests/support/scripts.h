// Output scripts of every kind that blocks hold, for tests. Nothing here checks anything: odd input makes odd scripts.
#pragma once

#include <initializer_list>

#include "util/bytes.h"

namespace spv::test {

/// The shortest data push of up to 65,535 bytes (opcodes for small numbers are not used).
util::Bytes push(util::ByteView data);
/// The pieces in a row.
util::Bytes concat(std::initializer_list<util::ByteView> parts);
/// One opcode as a script.
util::Bytes op(std::uint8_t opcode);

util::Bytes p2pk(util::ByteView public_key);
util::Bytes p2pkh(util::ByteView hash20);
util::Bytes p2sh(util::ByteView hash20);
util::Bytes p2wpkh(util::ByteView hash20);
util::Bytes p2wsh(util::ByteView hash32);
util::Bytes p2tr(util::ByteView output_key);
/// Bare multisig: `required` of the given public keys.
util::Bytes multisig(unsigned required, std::initializer_list<util::ByteView> public_keys);
util::Bytes op_return(util::ByteView data);
/// Anyone can spend it with an empty scriptSig.
util::Bytes op_true();
/// P2WSH of op_true(): its witness is the one item op_true().
util::Bytes p2wsh_op_true();

/// A height as BIP34 wants it at the start of a coinbase's scriptSig.
util::Bytes push_height(std::int32_t height);

}  // namespace spv::test
