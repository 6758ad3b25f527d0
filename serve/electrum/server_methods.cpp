// server.*: who speaks with whom.
#include <array>

#include <boost/json.hpp>

#include "serve/electrum/methods.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestAgent = 80;

/// For the log and the page: one line of plain text.
std::string printable(std::string text) {
  if (text.size() > kLongestAgent) text.resize(kLongestAgent);
  for (char& each : text) {
    if (each < ' ' || each > '~') each = '?';
  }
  return text;
}

Reaction greet(MethodContext& context, Arguments& arguments) {
  const auto agent = printable(arguments.text_or(0, ""));
  if (arguments.error()) return *arguments.error();
  if (context.is_greeted()) return RpcError{kInvalidRequest, "server.version was asked for already"};
  const auto agreed = negotiate(arguments.find(1), context.is_first_call() ? kNewest : kUnasked);
  if (!agreed) {
    context.close();
    return agreed.error();
  }
  context.greet(agent, *agreed);
  return Answered{json::array{context.world().software, to_string(*agreed)}};
}

Reaction banner(MethodContext& context, Arguments& /*arguments*/) {
  return Answered{json::value(context.world().software +
                              ": a light client. It answers for the wallets that it follows, by what it has proven.")};
}

Reaction features(MethodContext& context, Arguments& /*arguments*/) {
  return Answered{json::object{{"hosts", json::object()},
                               {"pruning", nullptr},
                               {"server_version", context.world().software},
                               {"protocol_min", to_string(kOldest)},
                               {"protocol_max", to_string(kNewest)},
                               {"genesis_hash", context.world().genesis_hash},
                               {"hash_function", "sha256"}}};
}

Reaction nothing(MethodContext& /*context*/, Arguments& /*arguments*/) { return Answered{nullptr}; }
Reaction no_text(MethodContext& /*context*/, Arguments& /*arguments*/) { return Answered{json::value("")}; }
Reaction no_list(MethodContext& /*context*/, Arguments& /*arguments*/) { return Answered{json::array()}; }
Reaction refused(MethodContext& /*context*/, Arguments& /*arguments*/) { return Answered{json::value(false)}; }

constexpr std::array<std::string_view, 2> kVersion{"client_name", "protocol_version"};
constexpr std::array<std::string_view, 1> kFeatures{"features"};
constexpr std::array<std::string_view, 2> kPing{"pong_len", "data"};

}  // namespace

std::span<const Method> server_methods() {
  static constexpr std::array<Method, 7> kMethods{{{"server.version", kVersion, greet},
                                                   {"server.banner", {}, banner},
                                                   {"server.features", {}, features},
                                                   {"server.ping", kPing, nothing},
                                                   {"server.donation_address", {}, no_text},
                                                   {"server.peers.subscribe", {}, no_list},
                                                   {"server.add_peer", kFeatures, refused}}};
  return kMethods;
}

}  // namespace spv::serve::electrum
