#include "store/event_codec.h"

#include "store/checks.h"
#include "util/codec.h"
#include "util/overloaded.h"

namespace spv::store {
namespace {

using wallet::TxEvent;
using wallet::TxStanding;

// The first byte says what it is and how the rest is written.
constexpr std::uint8_t kTxFormat = 1;
constexpr std::uint8_t kTipFormat = 2;
constexpr std::uint8_t kReorgFormat = 3;
constexpr std::uint8_t kWalletFormat = 4;
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

TxEvent read_tx_event(util::Reader& in) {
  TxEvent event;
  event.txid = in.hash<chain::Txid>();
  const auto state = in.integer<std::uint8_t>();
  event.state = static_cast<TxStanding>(state);
  event.net = in.integer<std::int64_t>();
  if (in.integer<std::uint8_t>() != 0) event.confirmation = read_block(in);
  if (in.integer<std::uint8_t>() != 0) event.replaced_by = in.hash<chain::Txid>();
  event.outputs.resize(in.count(kLeastOutput));
  for (auto& output : event.outputs) output = read_output(in);
  require_sound(state <= static_cast<std::uint8_t>(wallet::kLastTxStanding), "an event");
  return event;
}

TipEvent read_tip(util::Reader& in) {
  TipEvent event;
  event.block.height = in.integer<chain::Height>();
  event.block.hash = in.hash<chain::BlockHash>();
  return event;
}

ReorgEvent read_reorg(util::Reader& in) {
  ReorgEvent event;
  event.from = in.hash<chain::BlockHash>();
  event.to = in.hash<chain::BlockHash>();
  event.fork_height = in.integer<chain::Height>();
  return event;
}

WalletEvent read_wallet_event(util::Reader& in) {
  const auto state = in.integer<std::uint8_t>();
  require_sound(state <= static_cast<std::uint8_t>(kLastWalletState), "an event");
  return {.state = static_cast<WalletState>(state)};
}

EventData read_event(util::Reader& in) {
  switch (in.integer<std::uint8_t>()) {
    case kTxFormat:
      return read_tx_event(in);
    case kTipFormat:
      return read_tip(in);
    case kReorgFormat:
      return read_reorg(in);
    case kWalletFormat:
      return read_wallet_event(in);
    default:
      throw_corrupt("an event");
  }
}

}  // namespace

util::Bytes encode_event(const EventData& event) {
  if (const auto* tx = std::get_if<TxEvent>(&event)) return encode_event(*tx);
  util::Writer out;
  std::visit(
      util::Overloaded{
          [](const TxEvent&) {},  // as above
          [&](const TipEvent& tip) { out.integer(kTipFormat).integer(tip.block.height).hash(tip.block.hash); },
          [&](const ReorgEvent& reorg) {
            out.integer(kReorgFormat).hash(reorg.from).hash(reorg.to).integer(reorg.fork_height);
          },
          [&](const WalletEvent& told) { out.integer(kWalletFormat).integer(static_cast<std::uint8_t>(told.state)); }},
      event);
  return out.take();
}

util::Bytes encode_event(const TxEvent& event) {
  util::Writer out;
  out.integer(kTxFormat).hash(event.txid).integer(static_cast<std::uint8_t>(event.state)).integer(event.net);
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

EventData decode_event(util::ByteView bytes) {
  util::Reader in(bytes);
  EventData event = read_event(in);
  require_sound(in.ok() && in.rest().empty(), "an event");
  return event;
}

}  // namespace spv::store
