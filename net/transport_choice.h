// Which transport to speak: encrypted (BIP324), plain, or encrypted with a fall-back.
#pragma once

namespace spv::net {

enum class TransportChoice {
  Auto,  // v2 first; v1 by a new connection where the peer does not know it
  V1,
  V2,
};

}  // namespace spv::net
