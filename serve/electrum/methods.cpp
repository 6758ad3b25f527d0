#include "serve/electrum/methods.h"

#include <algorithm>
#include <array>

namespace spv::serve::electrum {

bool MethodContext::subscribe(const ScriptHash& script, const Status& told) {
  auto& scripts = session_.scripts_;
  if (!scripts.contains(script) && scripts.size() >= world().limits.subscriptions) return false;
  scripts[script] = told;
  return true;
}

void MethodContext::greet(std::string agent, const Version& version) {
  session_.agent_ = std::move(agent);
  session_.version_ = version;
}

const Method* find_method(std::string_view name) {
  for (const auto& kind : {server_methods(), header_methods(), script_methods(), transaction_methods()}) {
    const auto found = std::ranges::find(kind, name, &Method::name);
    if (found != kind.end()) return &*found;
  }
  return nullptr;
}

}  // namespace spv::serve::electrum
