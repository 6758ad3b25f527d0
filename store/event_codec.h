// A TxEvent as bytes: how every store keeps it.
#pragma once

#include "util/bytes.h"
#include "wallet/tx_event.h"

namespace spv::store {

util::Bytes encode_event(const wallet::TxEvent& event);
/// Throws StoreError (Corrupt) for what encode_event() did not write.
wallet::TxEvent decode_event(util::ByteView bytes);

}  // namespace spv::store
