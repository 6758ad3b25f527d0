#include "serve/api/new_wallet.h"

#include <utility>

#include "client/birthday.h"
#include "client/watch_terms.h"

namespace spv::serve {
namespace {

Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

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
  if (!request.birthday) return out;
  const auto birthday = client::parse_birthday(*request.birthday, params, now);
  if (!birthday) return invalid("birthday: " + std::string(to_string(birthday.error())));
  out.birthday = *birthday;
  return out;
}

}  // namespace spv::serve
