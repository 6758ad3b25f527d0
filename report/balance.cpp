#include "report/balance.h"

#include <boost/json.hpp>

#include "report/values.h"

namespace spv::report {

boost::json::object balance_json(const wallet::Balance& balance) {
  return {{"confirmed_sat", balance.confirmed},
          {"unconfirmed_sat", balance.unconfirmed},
          {"immature_sat", balance.immature},
          {"total_sat", balance.total()}};
}

boost::json::object balance_document(const wallet::Balance& balance, const Scanned& scanned,
                                     const ScanProgress& progress) {
  const chain::BlockRef& tip = scanned.scan.scanned_to;
  const bool known = !tip.hash.is_zero();
  auto document = balance_json(balance);
  document.emplace("height", known ? boost::json::value(tip.height) : nullptr);
  document.emplace("tip", known ? boost::json::value(util::to_string(tip.hash)) : nullptr);
  document.emplace("headers", or_null(progress.headers));
  document.emplace("complete", progress.complete);
  put_standing(document, scanned);
  return document;
}

}  // namespace spv::report
