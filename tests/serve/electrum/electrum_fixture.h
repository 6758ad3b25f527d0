// What the tests of this folder share: books of the sample wallet, and a session that is spoken to in lines.
#pragma once

#include <string>
#include <vector>

#include <boost/json.hpp>

#include "serve/electrum/session.h"
#include "tests/wallet/wallet_samples.h"

namespace spv::serve::electrum {

/// A wallet that is scanned up to a block for all that it watches.
inline wallet::Wallet scanned_wallet(chain::Height height = 100) {
  auto wallet = test::sample_wallet();
  static_cast<void>(wallet.set_scan(test::scanned_to(height)));
  static_cast<void>(wallet.note_synced());
  return wallet;
}

inline std::string hash_text(util::ByteView script) { return util::to_string(hash_of_script(script)); }

inline World sample_world() {
  World out;
  out.is_loaded = out.is_ahead = true;
  out.software = "spv test";
  out.tip = World::Tip{100, chain::params(chain::Network::Regtest).genesis};
  return out;
}

/// A client of a session.
class Speaker {
 public:
  explicit Speaker(const World& world) : session(world) {}

  /// The documents that come back.
  std::vector<boost::json::value> say(const std::string& line) {
    session.feed(line + "\n");
    return run();
  }
  std::vector<boost::json::value> run() {
    while (session.step(now)) {
    }
    return take();
  }
  std::vector<boost::json::value> take() {
    std::vector<boost::json::value> out;
    const auto text = session.take_output();
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      out.push_back(boost::json::parse(text.substr(at, end - at)));
      at = end + 1;
    }
    return out;
  }
  /// The one answer to a call.
  boost::json::value ask(const std::string& method, const boost::json::array& params = {}) {
    const auto answers =
        say(boost::json::serialize(boost::json::object{{"id", 1}, {"method", method}, {"params", params}}));
    return answers.size() == 1 ? answers.front() : boost::json::value(nullptr);
  }

  Session session;
  util::TimePoint now{};
};

inline boost::json::value result_of(const boost::json::value& answer) { return answer.as_object().at("result"); }
inline std::int64_t code_of(const boost::json::value& answer) {
  return answer.as_object().at("error").as_object().at("code").as_int64();
}

}  // namespace spv::serve::electrum
