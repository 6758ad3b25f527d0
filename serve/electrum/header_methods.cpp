// Headers of blocks: from those that are here, all of them from genesis on.
#include <array>

#include <boost/json.hpp>

#include "serve/electrum/methods.h"
#include "serve/electrum/outcome_json.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

NotYet no_headers() { return NotYet{{kCannot, "the server has no headers yet; try again"}}; }

Reaction subscribe_headers(MethodContext& context, Arguments& /*arguments*/) {
  if (!context.world().tip) return no_headers();
  context.want_tips();
  return Answered{tip_json(*context.world().tip)};
}

/// What is wrong with a checkpoint above these headers, if anything is.
std::optional<RpcError> checkpoint_error(const HeadersWanted& wanted, const World::Tip& tip) {
  if (wanted.checkpoint == 0) return std::nullopt;
  const auto last = std::int64_t{wanted.from} + wanted.count - 1;
  if (last <= wanted.checkpoint && wanted.checkpoint <= tip.height) return std::nullopt;
  return RpcError{kInvalidParams, "cp_height must lie between the last header that is asked for and the tip, block " +
                                      std::to_string(tip.height)};
}

Reaction one_header(MethodContext& context, Arguments& arguments) {
  HeadersWanted wanted{.from = static_cast<chain::Height>(arguments.integer(0, 0, kMostHeight)),
                       .count = 1,
                       .checkpoint = static_cast<chain::Height>(arguments.integer_or(1, 0, kMostHeight, 0)),
                       .single = true};
  if (arguments.error()) return *arguments.error();
  if (!context.world().tip) return no_headers();
  if (const auto error = checkpoint_error(wanted, *context.world().tip)) return *error;
  return Errand{wanted};
}

Reaction some_headers(MethodContext& context, Arguments& arguments) {
  HeadersWanted wanted{.from = static_cast<chain::Height>(arguments.integer(0, 0, kMostHeight)),
                       .count = static_cast<std::uint32_t>(arguments.integer(1, 0, kMostHeight)),
                       .checkpoint = static_cast<chain::Height>(arguments.integer_or(2, 0, kMostHeight, 0))};
  if (arguments.error()) return *arguments.error();
  if (!context.world().tip) return no_headers();
  wanted.count = std::min(wanted.count, kMostHeaders);
  if (wanted.count == 0) wanted.checkpoint = 0;
  if (const auto error = checkpoint_error(wanted, *context.world().tip)) return *error;
  return Errand{wanted};
}

constexpr std::array<std::string_view, 2> kHeader{"height", "cp_height"};
constexpr std::array<std::string_view, 3> kHeaders{"start_height", "count", "cp_height"};

}  // namespace

json::value tip_json(const World::Tip& tip) {
  return json::object{{"hex", header_hex(tip.header)}, {"height", tip.height}};
}

std::span<const Method> header_methods() {
  static constexpr std::array<Method, 3> kMethods{{{"blockchain.headers.subscribe", {}, subscribe_headers},
                                                   {"blockchain.block.header", kHeader, one_header},
                                                   {"blockchain.block.headers", kHeaders, some_headers}}};
  return kMethods;
}

}  // namespace spv::serve::electrum
