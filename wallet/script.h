// Output scripts: the standard forms, and the one push of each that goes into a bloom filter.
#pragma once

#include <optional>

#include "util/bytes.h"
#include "util/hash.h"

namespace spv::wallet {

util::Bytes p2pkh_script(const util::Hash160& key_hash);
util::Bytes p2sh_script(const util::Hash160& script_hash);
/// Any witness version 0 to 16 with a program of 2 to 40 bytes.
util::Bytes witness_script(int version, util::ByteView program);
inline util::Bytes p2wpkh_script(const util::Hash160& key_hash) { return witness_script(0, key_hash); }

/// A witness program (BIP141), if the script is one.
struct WitnessProgram {
  int version = 0;
  util::ByteView program;
};
std::optional<WitnessProgram> as_witness_program(util::ByteView script);

/// The data push by which a node's filter finds this output: key hash, script hash, witness program, or the
/// longest push of any other script. Nothing if the script pushes no data: then BIP37 cannot watch it.
std::optional<util::ByteView> filter_element(util::ByteView script);

}  // namespace spv::wallet
