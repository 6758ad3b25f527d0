// input_check: whether script and witness of a finished input satisfy the output that it spends, read from the bytes
// alone, for the standard forms that this wallet can sign. Stricter than consensus: what it calls valid, nodes relay,
// and nobody can change without making it invalid.
#pragma once

#include <cstddef>

#include "wallet/spend/sighash.h"

namespace spv::wallet::spend {

enum class InputVerdict {
  Valid,    // a standard form, in its one encoding, and every signature verifies
  Invalid,  // a form that is known here, but not so
  Unknown,  // another form: nothing is said about it
};

struct InputCheck {
  InputVerdict verdict = InputVerdict::Unknown;
  /// Valid, and every signature is of type ALL or DEFAULT: nothing in the transaction can be changed.
  bool signs_all = false;
};

/// `data` is of the finished transaction with all outputs that it spends. Forms: pk, pkh, wpkh, sh(wpkh), tr by its
/// key, and pk, pkh and multi inside sh, wsh and sh(wsh), or bare.
InputCheck check_input(const SighashData& data, std::size_t input);

}  // namespace spv::wallet::spend
