// RenderedEvent: an event as clients get it, rendered once for all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http/stream.h"
#include "store/logged_event.h"

namespace spv::serve {

/// The JSON of an event, in one line. Called from any thread.
using RenderEvent = std::function<std::string(const store::LoggedEvent&)>;

struct RenderedEvent {
  store::Seq seq = 0;
  std::string wallet;       // empty for tips and reorgs
  Chunk frame;              // as a stream has it: "id: 17\nevent: tx\ndata: {…}\n\n"
  std::size_t json_at = 0;  // where the JSON begins in it
  [[nodiscard]] std::string_view json() const;
};

/// Whether clients are told it. Not that a transaction is locked, which a wallet also says of one that came a moment
/// before the block that it waited for: what becomes of it follows.
bool is_for_clients(const store::LoggedEvent& event);

/// "tx", "tip", "reorg" or "wallet".
std::string_view type_of(const store::EventData& data);

RenderedEvent render_event(const store::LoggedEvent& event, const RenderEvent& render);

/// Whether a client that asked for one wallet gets it; tips and reorgs belong to none.
bool matches(const RenderedEvent& event, const std::optional<std::string>& wallet);

}  // namespace spv::serve
