#include "report/filter.h"

#include <boost/json.hpp>

namespace spv::report {

bip37::FilterPlan filter_of(const wallet::Wallet& wallet) {
  const auto& identity = wallet.config().filter;
  return bip37::plan_filter(wallet.filter_elements(), bip37::kDefaultFpRate, identity.tweak, identity.decoy_seed,
                            bip37::UpdateFlags::All);
}

boost::json::object filter_json(const bip37::FilterPlan& plan) {
  return {{"bytes", plan.filter.bits().size()}, {"hash_funcs", plan.filter.hash_funcs()},
          {"tweak", plan.filter.tweak()},       {"flags", static_cast<int>(plan.filter.flags())},
          {"elements", plan.elements},          {"fp_target", plan.fp_target}};
}

}  // namespace spv::report
