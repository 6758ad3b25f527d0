// The methods of the protocol: each reads its arguments and gives an answer, an error, or what has to happen first.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/json/value.hpp>

#include "serve/electrum/arguments.h"
#include "serve/electrum/session.h"

namespace spv::serve::electrum {

struct Answered {
  boost::json::value result;
};
/// It is to be tried again later; in the end this is the error.
struct NotYet {
  RpcError error;
};
using Reaction = std::variant<Answered, RpcError, Errand, NotYet>;

/// The part of a session that methods see.
class MethodContext {
 public:
  explicit MethodContext(Session& session) : session_(session) {}

  [[nodiscard]] const World& world() const { return session_.world_; }
  void order(Order what) { session_.orders_.push_back(std::move(what)); }
  void want_tips() { session_.wants_tips_ = true; }
  /// False if there are too many.
  [[nodiscard]] bool subscribe(const ScriptHash& script, const Status& told);
  /// Whether it was subscribed.
  bool unsubscribe(const ScriptHash& script) { return session_.scripts_.erase(script) > 0; }
  void note_stranger() { ++session_.strangers_; }

  [[nodiscard]] bool is_greeted() const { return session_.version_.has_value(); }
  [[nodiscard]] bool is_first_call() const { return session_.calls_seen_ <= 1; }
  void greet(std::string agent, const Version& version);
  /// The connection ends.
  void close() { session_.is_closing_ = true; }

 private:
  Session& session_;
};

struct Method {
  std::string_view name;
  std::span<const std::string_view> arguments;
  Reaction (*react)(MethodContext&, Arguments&);
};
/// Null if there is none of this name.
const Method* find_method(std::string_view name);

// Those of each kind.
std::span<const Method> server_methods();
std::span<const Method> header_methods();
std::span<const Method> script_methods();
std::span<const Method> transaction_methods();

inline constexpr std::int64_t kMostHeight = 0x7FFF'FFF0;

/// For a tip that is known.
boost::json::value tip_json(const World::Tip& tip);
boost::json::value status_json(const Status& status);

}  // namespace spv::serve::electrum
