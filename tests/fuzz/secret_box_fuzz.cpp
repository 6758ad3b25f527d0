// The encrypted seed: a box opens with its passphrase, and with no other, on no other network and with no bit changed
// (K1-K3); a box from outside is opened or refused within its bounds.
#include <algorithm>

#include "tests/fuzz/fuzz.h"
#include "wallet/secret_box.h"

namespace {

using namespace spv;
constexpr auto kNetwork = chain::Network::Regtest;
// Cheap enough to try millions of times; what costs more than a few of these is not opened here.
constexpr wallet::ScryptCost kCheap{.log2_n = 1, .r = 1, .p = 1};

bool is_costly(util::ByteView box) {
  constexpr std::size_t kLog2N = 5;  // behind magic and version
  return box.size() > kLog2N && box[kLog2N] > 10 && box[kLog2N] <= 20;
}

}  // namespace

SPV_FUZZ_TARGET(secret_box, input) {
  fuzz::Input rest(input);
  const auto passphrase = rest.piece();
  const auto secret = rest.piece();
  const auto sealed = wallet::seal_secret(secret, passphrase, kNetwork, {}, kCheap);
  util::ensure(sealed.has_value(), "a box is made");
  const auto opened = wallet::open_secret(*sealed, passphrase, kNetwork);
  util::ensure(opened && std::ranges::equal(*opened, secret), "a box does not open");
  util::ensure(!wallet::open_secret(*sealed, passphrase, chain::Network::Main), "a box of another network opens");
  auto other = util::to_bytes(passphrase);
  other.push_back(1);
  util::ensure(!wallet::open_secret(*sealed, other, kNetwork), "another passphrase opens it");

  util::Bytes box(sealed->begin(), sealed->end());
  const bool made_up = rest.chance();
  if (made_up) {
    box = util::to_bytes(rest.rest());
  } else {
    while (!rest.empty()) {
      const std::size_t place = rest.byte();
      const std::uint8_t flips = rest.byte();
      if (place < box.size()) {
        box[place] ^= flips;
      } else if (flips != 0) {
        box.resize(box.size() - std::min<std::size_t>(box.size(), flips));
      }
    }
  }
  if (is_costly(box)) return;
  const auto result = wallet::open_secret(box, passphrase, kNetwork);
  if (std::ranges::equal(box, *sealed)) return;
  util::ensure(!result, "a changed box opens");
}
