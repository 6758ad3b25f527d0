#include "client/hand_out.h"

#include "client/values.h"

namespace spv::client {
namespace {

constexpr int kAddressTries = 100;

using Reason = NoAddressGiven::Reason;

// "wpkh" of "wpkh([…]xpub/0/*)#…"
std::string type_of(const wallet::Descriptor& descriptor) {
  const std::string text = descriptor.to_string();
  if (text.starts_with("sh(wpkh(")) return "sh-wpkh";
  return text.substr(0, text.find('('));
}

std::optional<std::size_t> find_chain(const wallet::Wallet& wallet, const AddressWanted& wanted) {
  const auto& chains = wallet.config().key_chains;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool fits = wanted.type.empty() || type_of(chains[i].descriptor) == wanted.type;
    if (chains[i].change == wanted.change && fits) return i;
  }
  return std::nullopt;
}

util::Unexpected<NoAddressGiven> none(Reason reason, std::uint32_t gap_limit = 0) {
  return util::Unexpected{NoAddressGiven{.reason = reason, .gap_limit = gap_limit}};
}

}  // namespace

Error to_error(const NoAddressGiven& none) {
  switch (none.reason) {
    case Reason::NoChain:
      return {ErrorCode::NotFound, "the wallet has no such addresses"};
    case Reason::Fixed:
      return {ErrorCode::Refused, "the wallet watches fixed addresses and cannot derive new ones"};
    case Reason::GapLimit:
      return {ErrorCode::Refused, std::to_string(none.gap_limit) +
                                      " unused addresses are handed out already, which is the gap limit; use one of "
                                      "them or raise the gap limit"};
    case Reason::Contended:
      break;
  }
  return {ErrorCode::Locked, "other processes take addresses of this wallet all the time; try again"};
}

util::Expected<Address, NoAddressGiven> hand_out(const OpenAs& open_as, const AddressWanted& wanted,
                                                 const chain::NetworkParams& params) {
  auto access = store::Access::Read;
  for (int tries = 0; tries < kAddressTries; ++tries) {
    OpenWallet open = open_as(access);
    const auto chain = find_chain(open.wallet, wanted);
    if (!chain) return none(Reason::NoChain);
    const auto issued = open.wallet.issue_address_of(*chain, wanted.advance);
    if (!issued && issued.error() == wallet::NoAddress::Damaged) fail_foreign_script();
    if (!issued) {
      const auto& config = open.wallet.config();
      const bool fixed = !config.key_chains[*chain].descriptor.is_ranged();
      return none(fixed ? Reason::Fixed : Reason::GapLimit, config.gap_limit);
    }
    // On disk before anybody sees it: an address is never handed out twice.
    const bool ours =
        issued->changes.empty() || (access == store::Access::Shared && open.stored->issue(*chain, issued->entry.index));
    if (ours) return to_address(issued->entry, open.wallet, params);
    access = store::Access::Shared;
  }
  return none(Reason::Contended);
}

util::Expected<Address, NoAddressGiven> hand_out(const std::shared_ptr<store::Store>& store, const std::string& name,
                                                 const AddressWanted& wanted, const chain::NetworkParams& params) {
  return hand_out([&](store::Access access) { return open_wallet(store, name, access); }, wanted, params);
}

}  // namespace spv::client
