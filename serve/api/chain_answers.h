// What the API tells about the sync: how far it is, its peers, its filters, what it costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/backend.h"
#include "client/clock.h"
#include "serve/api/sync_meter.h"
#include "serve/http/response.h"

namespace spv::serve {

class ChainAnswers {
 public:
  /// Both outlive it.
  ChainAnswers(client::Backend& backend, const SyncMeter& meter, client::Clock clock)
      : backend_(backend), meter_(meter), clock_(std::move(clock)), started_(clock_().wall) {}

  /// Never blocks. `newest`: the number of the last event; `wallets`: how many there are.
  [[nodiscard]] Response status(store::Seq newest, std::size_t wallets) const;
  [[nodiscard]] Response peers() const;
  [[nodiscard]] Response sync() const;
  [[nodiscard]] Response filter() const;
  /// The processes that follow wallets; of files this one.
  [[nodiscard]] Response workers() const;
  /// 200 once synced and the storage answers, else 503 with the reason. Never blocks.
  [[nodiscard]] Response ready(bool store_up) const;

 private:
  client::Backend& backend_;
  const SyncMeter& meter_;
  client::Clock clock_;
  util::UnixTime started_;
};

}  // namespace spv::serve
