#include "serve/live/rendered_event.h"

#include <memory>
#include <utility>
#include <variant>

#include "util/ensure.h"
#include "util/overloaded.h"

namespace spv::serve {
namespace {

constexpr std::string_view kFrameEnd = "\n\n";

}  // namespace

std::string_view RenderedEvent::json() const {
  return std::string_view(*frame).substr(json_at, frame->size() - json_at - kFrameEnd.size());
}

bool is_for_clients(const store::LoggedEvent& event) {
  const auto* tx = std::get_if<wallet::TxEvent>(&event.data);
  return tx == nullptr || tx->state != wallet::TxStanding::Locked;
}

std::string_view type_of(const store::EventData& data) {
  return std::visit(util::Overloaded{[](const wallet::TxEvent&) { return std::string_view("tx"); },
                                     [](const store::TipEvent&) { return std::string_view("tip"); },
                                     [](const store::ReorgEvent&) { return std::string_view("reorg"); },
                                     [](const store::WalletEvent&) { return std::string_view("wallet"); }},
                    data);
}

RenderedEvent render_event(const store::LoggedEvent& event, const RenderEvent& render) {
  const std::string json = render(event);
  util::ensure(json.find_first_of("\r\n") == std::string::npos, "the JSON of an event must be one line");
  std::string frame = "id: " + std::to_string(event.seq) + "\nevent: ";
  frame.append(type_of(event.data)).append("\ndata: ");
  const std::size_t json_at = frame.size();
  frame.append(json).append(kFrameEnd);
  return {.seq = event.seq,
          .wallet = event.wallet,
          .frame = std::make_shared<const std::string>(std::move(frame)),
          .json_at = json_at};
}

bool matches(const RenderedEvent& event, const std::optional<std::string>& wallet) {
  return !wallet || event.wallet == *wallet;
}

}  // namespace spv::serve
