#include "serve/live/webhooks.h"

#include <map>
#include <utility>

#include "serve/live/webhook.h"

namespace spv::serve {

Webhooks::Webhooks(const std::vector<WebhookUrl>& urls, WebhookSetup setup) : setup_(std::move(setup)) {
  std::map<std::string, int> seen;
  for (const auto& url : urls) {
    const int number = ++seen[url.authority()];
    auto name = number == 1 ? url.authority() : url.authority() + "#" + std::to_string(number);
    hooks_.push_back(std::make_unique<Webhook>(url, std::move(name), setup_));
  }
}

Webhooks::~Webhooks() { stop(); }

void Webhooks::start() {
  for (const auto& hook : hooks_) hook->start();
}

void Webhooks::stop() {
  for (const auto& hook : hooks_) hook->request_stop();
  for (const auto& hook : hooks_) hook->join();
}

std::vector<WebhookStatus> Webhooks::status() const {
  std::vector<WebhookStatus> out;
  out.reserve(hooks_.size());
  for (const auto& hook : hooks_) out.push_back(hook->status());
  return out;
}

}  // namespace spv::serve
