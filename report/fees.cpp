#include "report/fees.h"

#include <boost/json.hpp>

namespace spv::report {
namespace {

boost::json::value per_vbyte(const std::optional<std::int64_t>& sat_per_kvb) {
  if (!sat_per_kvb) return nullptr;
  return static_cast<double>(*sat_per_kvb) / 1000;
}

}  // namespace

boost::json::object fees_json(const client::FeesKnown& fees) {
  boost::json::array sources;
  if (fees.floor) {
    sources.push_back({{"kind", "feefilter"}, {"value", per_vbyte(fees.floor)}, {"peers", fees.peers_heard}});
  }
  if (fees.estimate) {
    sources.push_back({{"kind", "blocks"},
                       {"value", per_vbyte(fees.estimate)},
                       {"blocks", fees.blocks_used},
                       {"blocks_from_two_peers", fees.blocks_by_two}});
  }
  return {{"floor_sat_per_vb", per_vbyte(fees.floor)},
          {"estimate_sat_per_vb", per_vbyte(fees.estimate)},
          {"sources", std::move(sources)}};
}

}  // namespace spv::report
