// Service: `spv serve`. Follows the wallets of a data directory or a database and answers HTTP requests about them
// until a signal ends it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <spv/client.h>
#include <string>
#include <vector>

#include "serve/electrum/hub.h"
#include "util/log.h"

namespace spv::serve {

struct ServiceOptions {
  Options client;  // follow and follow_all are set
  std::string host = "127.0.0.1";
  std::uint16_t port = 8'338;
  std::vector<std::string> host_names;
  /// The token is in there; made if `make_token`.
  std::filesystem::path token_file;
  bool make_token = true;
  std::vector<std::string> webhooks;
  std::filesystem::path webhook_key_file;  // empty: nothing is signed
  double keep_days = 90;
  std::optional<electrum::HubOptions> electrum;
  util::LogSink log;
};

/// Why a service could not be started, or ended by itself.
struct ServiceError {
  enum class Kind { Usage, Failed };
  Kind kind = Kind::Failed;
  std::string message;
};

class Service {
 public:
  explicit Service(ServiceOptions options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  /// Where it listens: the URL, and HOST:PORT for Electrum clients, empty if not.
  struct Places {
    std::string url;
    std::string electrum;
  };
  /// Opens the client and listens.
  Result<Places> start();
  /// Until SIGINT or SIGTERM; all is on disk then, and nothing runs.
  void run();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace spv::serve
