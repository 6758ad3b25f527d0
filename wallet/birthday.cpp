#include "wallet/birthday.h"

namespace spv::wallet {

std::string above_tip_text(chain::Height birthday, chain::Height tip) {
  return "the wallet's birthday (block " + std::to_string(birthday) + ") is above the best block (" +
         std::to_string(tip) + "): blocks from before the first sync are not scanned, and payments in them not found";
}

}  // namespace spv::wallet
