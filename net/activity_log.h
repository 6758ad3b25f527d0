// ActivityLog: what a driver and its peers do, as lines for the log: connections, handshakes, requests, answers and
// decisions. Blocks are counted, and told a batch at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "sync/types/describe.h"
#include "util/log.h"
#include "util/time.h"

namespace spv::net {

class ActivityLog {
 public:
  /// Without a sink nothing is done.
  explicit ActivityLog(util::LogSink sink) : sink_(std::move(sink)) {}

  void on(const sync::Input& input, util::TimePoint now);
  void on(const sync::Action& action, util::TimePoint now);

 private:
  struct PeerNotes {
    std::string name;         // its address
    std::size_t blocks = 0;   // since the last batch was told
    util::TimePoint since{};  // when that, or the last request, was
  };

  /// `about`: "peer", "to" or "from".
  void note(const char* about, sync::PeerId peer, const sync::LogNote& what);
  void note(sync::PeerId peer, const std::string& what) { note("peer", peer, {util::LogLevel::Debug, what}); }
  void on_message(sync::PeerId peer, const p2p::Message& message, util::TimePoint now);
  void end(sync::PeerId peer, const std::string& why);

  util::LogSink sink_;
  std::map<sync::PeerId, PeerNotes> peers_;
};

}  // namespace spv::net
