// Background: what a service does besides answering requests: old events are pruned, webhooks posted, and what other
// processes of a database ask is carried out; and the Electrum server.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "serve/electrum/hub.h"
#include "serve/errand_runner.h"
#include "serve/live/pruner.h"
#include "serve/live/webhooks.h"

namespace spv::serve {

struct Background {
  std::optional<Pruner> pruner;
  std::optional<Webhooks> webhooks;
  std::optional<ErrandRunner> errands;
  std::unique_ptr<electrum::Hub> electrum;

  void start() {
    if (pruner) pruner->start();
    if (webhooks) webhooks->start();
    if (errands) errands->start();
  }
  void stop() {
    if (electrum) electrum->stop();
    if (errands) errands->stop();
    if (webhooks) webhooks->stop();
    if (pruner) pruner->stop();
  }
};

}  // namespace spv::serve
