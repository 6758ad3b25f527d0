#include "serve/api/new_wallet.h"

#include <utility>

#include "client/birthday.h"
#include "client/watch_terms.h"

namespace spv::serve {
namespace {

/// Addresses that are watched ahead, of all descriptors together: each is derived before the answer, and nobody else
/// can make a wallet meanwhile.
constexpr std::size_t kMostAhead = 10'000;

Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

std::size_t ahead_of(const client::NewWallet& wallet) {
  std::size_t out = 0;
  for (const auto& chain : wallet.chains) out += chain.descriptor.is_ranged() ? wallet.gap_limit : 1;
  return out;
}

}  // namespace

Result<client::NewWallet> to_new_wallet(const NewWalletRequest& request, const chain::NetworkParams& params,
                                        util::UnixTime now) {
  const client::WatchTerms terms{request.descriptors, request.xpub, request.script, request.addresses};
  auto chains = client::chains_to_watch(terms, params);
  if (!chains) return invalid(chains.error().message);
  client::NewWallet out;
  out.chains = std::move(*chains);
  out.created = now;
  if (request.gap_limit) out.gap_limit = *request.gap_limit;
  if (ahead_of(out) > kMostAhead) {
    return Error{ErrorCode::Refused, "too many addresses: the gap limit, times the number of descriptors, may be " +
                                         std::to_string(kMostAhead) + "; make several wallets"};
  }
  if (!request.birthday) return out;
  const auto birthday = client::parse_birthday(*request.birthday, params, now);
  if (!birthday) return invalid("birthday: " + std::string(to_string(birthday.error())));
  out.birthday = *birthday;
  return out;
}

}  // namespace spv::serve
