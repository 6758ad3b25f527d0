// An event as bytes: how every store keeps it.
#pragma once

#include "store/logged_event.h"
#include "util/bytes.h"

namespace spv::store {

util::Bytes encode_event(const EventData& event);
util::Bytes encode_event(const wallet::TxEvent& event);
/// Throws StoreError (Corrupt) for what encode_event() did not write.
EventData decode_event(util::ByteView bytes);

}  // namespace spv::store
