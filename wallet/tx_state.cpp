#include "wallet/tx_state.h"

namespace spv::wallet {

std::string_view to_string(TxStatus status) {
  switch (status) {
    case TxStatus::Confirmed:
      return "confirmed";
    case TxStatus::Unconfirmed:
      return "unconfirmed";
    case TxStatus::Conflicted:
      return "conflicted";
  }
  return "unknown";
}

std::string_view to_string(SetApart reason) {
  switch (reason) {
    case SetApart::No:
      return "no";
    case SetApart::Conflict:
      return "conflict";
    case SetApart::Forgotten:
      return "forgotten";
    case SetApart::Locked:
      return "locked";
    case SetApart::Abandoned:
      return "abandoned";
    case SetApart::NotSent:
      return "not-sent";
  }
  return "unknown";
}

std::string_view to_string(SendState state) {
  switch (state) {
    case SendState::NotSent:
      return "not-sent";
    case SendState::Announced:
      return "announced";
    case SendState::Fetched:
      return "fetched";
    case SendState::Accepted:
      return "accepted";
    case SendState::Uncertain:
      return "uncertain";
    case SendState::Abandoned:
      return "abandoned";
  }
  return "unknown";
}

}  // namespace spv::wallet
