// ScanStep: what a message from a peer came to for the scan.
#pragma once

#include <optional>
#include <vector>

#include "sync/scan/scan_trust.h"

namespace spv::sync {

struct ScanStep {
  std::optional<DisconnectReason> fault = std::nullopt;  // why the connection must end, if it must
  bool taken = false;                                    // the scan had asked for it, or a proof had promised it
  bool found = false;                                    // a transaction of ours that was not known as such before
  bool applied = false;                                  // blocks were scanned
  std::vector<Conviction> convicted = {};                // others, or the same peer, that must go too
};

}  // namespace spv::sync
