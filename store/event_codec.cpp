#include "store/event_codec.h"

#include "store/checks.h"
#include "util/codec.h"

namespace spv::store {
namespace {

using wallet::TxEvent;
using wallet::TxStanding;

// The first byte says how the rest is written.
constexpr std::uint8_t kEventFormat = 1;
constexpr std::size_t kMaxScript = 10'000;
/// vout, value, chain, index, and an empty script.
constexpr std::size_t kLeastOutput = 4 + 8 + 4 + 4 + 1;

void write_output(util::Writer& out, const wallet::OwnOutput& output) {
  out.integer(output.vout).integer(output.value).integer(static_cast<std::uint32_t>(output.chain));
  out.integer(output.index).var_bytes(output.script);
}

wallet::OwnOutput read_output(util::Reader& in) {
  wallet::OwnOutput output;
  output.vout = in.integer<std::uint32_t>();
  output.value = in.integer<std::int64_t>();
  output.chain = in.integer<std::uint32_t>();
  output.index = in.integer<std::uint32_t>();
  output.script = in.var_bytes(kMaxScript);
  return output;
}

wallet::Confirmation read_block(util::Reader& in) {
  wallet::Confirmation at;
  at.block.height = in.integer<chain::Height>();
  at.block.hash = in.hash<chain::BlockHash>();
  at.block_time = in.integer<std::uint32_t>();
  at.index = in.integer<std::uint32_t>();
  return at;
}

}  // namespace

util::Bytes encode_event(const TxEvent& event) {
  util::Writer out;
  out.integer(kEventFormat).hash(event.txid).integer(static_cast<std::uint8_t>(event.state)).integer(event.net);
  out.integer(std::uint8_t{event.confirmation.has_value()});
  if (event.confirmation) {
    out.integer(event.confirmation->block.height).hash(event.confirmation->block.hash);
    out.integer(event.confirmation->block_time).integer(event.confirmation->index);
  }
  out.integer(std::uint8_t{event.replaced_by.has_value()});
  if (event.replaced_by) out.hash(*event.replaced_by);
  out.compact_size(event.outputs.size());
  for (const auto& output : event.outputs) write_output(out, output);
  return out.take();
}

TxEvent decode_event(util::ByteView bytes) {
  util::Reader in(bytes);
  TxEvent event;
  const auto format = in.integer<std::uint8_t>();
  event.txid = in.hash<chain::Txid>();
  const auto state = in.integer<std::uint8_t>();
  event.state = static_cast<TxStanding>(state);
  event.net = in.integer<std::int64_t>();
  if (in.integer<std::uint8_t>() != 0) event.confirmation = read_block(in);
  if (in.integer<std::uint8_t>() != 0) event.replaced_by = in.hash<chain::Txid>();
  event.outputs.resize(in.count(kLeastOutput));
  for (auto& output : event.outputs) output = read_output(in);
  const bool sound = in.ok() && in.rest().empty() && format == kEventFormat &&
                     state <= static_cast<std::uint8_t>(wallet::kLastTxStanding);
  if (!sound) throw_corrupt("an event");
  return event;
}

}  // namespace spv::store
