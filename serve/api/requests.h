// What the requests of the API ask for, as plain values that are read from their bodies. Only the form is checked here:
// whether an address is one and a wallet exists is not known yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/types.h"
#include "serve/api/json_body.h"
#include "wallet/label.h"

namespace spv::serve {

/// POST /v1/wallets. Exactly one of descriptors, xpub and addresses is given.
struct NewWalletRequest {
  std::string name;  // a valid one
  std::vector<std::string> descriptors;
  std::optional<std::string> xpub;
  std::optional<std::string> script;  // with an xpub: pkh, sh-wpkh, wpkh, tr or all
  std::vector<std::string> addresses;
  std::optional<std::string> birthday;  // a height in digits, or what looks like YYYY-MM-DD
  std::optional<std::uint32_t> gap_limit;
};
Parsed<NewWalletRequest> parse_new_wallet(std::string_view body);

/// POST /v1/wallets/NAME/addresses; the body may be empty.
struct NewAddressRequest {
  bool change = false;
  std::optional<std::string> label;
};
Parsed<NewAddressRequest> parse_new_address(std::string_view body);

/// PUT /v1/wallets/NAME/labels; an empty label, or null, removes it.
struct LabelRequest {
  wallet::LabelKind kind = wallet::LabelKind::Tx;  // Tx, Address or Output
  std::string ref;
  std::string label;
};
Parsed<LabelRequest> parse_label(std::string_view body);

/// POST /v1/wallets/NAME/rescan
struct RescanRequest {
  chain::Height from = 0;
};
Parsed<RescanRequest> parse_rescan(std::string_view body);

/// POST /v1/wallets/NAME/psbt
struct PsbtRequest {
  struct Output {
    std::string address;
    chain::Amount amount = 0;
  };
  std::vector<Output> outputs;           // at least one
  std::optional<std::int64_t> fee_rate;  // satoshis per 1,000 virtual bytes
  bool subtract_fee = false;
  std::vector<chain::OutPoint> coins;  // none: any
};
Parsed<PsbtRequest> parse_psbt_request(std::string_view body);

/// POST /v1/transactions: a transaction in hex, or a PSBT in base64.
struct BroadcastRequest {
  bool is_psbt = false;
  std::string text;
};
Parsed<BroadcastRequest> parse_broadcast(std::string_view body);

}  // namespace spv::serve
