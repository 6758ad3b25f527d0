// Labels as other wallets exchange them (BIP329): a file with one JSON object a line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "wallet/label.h"

namespace spv::cli {

/// One label as a line without its end.
std::string label_line(const wallet::Label& label);

struct LabelLines {
  std::vector<wallet::LabelChange> labels;
  std::size_t skipped = 0;        // lines that are not a label of BIP329 for this network
  std::size_t first_skipped = 0;  // the first such line, from 1; zero: none
  std::string why;                // what is wrong with that one
};
/// Reads such a file; whatever a line says, the others count. Control characters in a label become blanks.
LabelLines parse_label_lines(std::string_view text, const chain::NetworkParams& params);

}  // namespace spv::cli
