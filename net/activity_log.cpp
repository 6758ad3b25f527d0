#include "net/activity_log.h"

#include "util/overloaded.h"

namespace spv::net {
namespace {

std::string milliseconds(util::Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

void ActivityLog::note(const char* about, sync::PeerId peer, const sync::LogNote& what) {
  const auto found = peers_.find(peer);
  const std::string name = found == peers_.end() ? std::to_string(peer) : found->second.name;
  sink_(what.level, std::string(about) + " " + name + ": " + what.text);
}

void ActivityLog::end(sync::PeerId peer, const std::string& why) {
  if (!peers_.contains(peer)) return;
  note(peer, why);
  peers_.erase(peer);
}

void ActivityLog::on(const sync::Input& input, util::TimePoint now) {
  if (!sink_) return;
  std::visit(util::Overloaded{
                 [&](const sync::PeerConnected& e) { note(e.peer, "connected"); },
                 [&](const sync::ConnectFailed& e) { end(e.peer, "cannot connect: " + e.reason); },
                 [&](const sync::MessageReceived& e) { on_message(e.peer, e.message, now); },
                 [&](const sync::StreamCorrupted& e) {
                   note(e.peer, "sent what cannot be read: " + std::string(to_string(e.error)));
                 },
                 [&](const sync::PeerDisconnected& e) { end(e.peer, "disconnected: " + e.reason); },
                 [&](const sync::PeersFound& e) {
                   sink_(util::LogLevel::Debug,
                         "seed " + e.source + ": " + std::to_string(e.addresses.size()) + " peer addresses");
                 },
                 [](const auto&) {},
             },
             input);
}

// A node answers in order: the pong behind a batch says that it is complete.
void ActivityLog::on_message(sync::PeerId peer, const p2p::Message& message, util::TimePoint now) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  PeerNotes& notes = found->second;
  if (std::holds_alternative<p2p::MerkleBlock>(message) || std::holds_alternative<p2p::Block>(message)) {
    ++notes.blocks;
    return;
  }
  if (std::holds_alternative<p2p::Pong>(message) && notes.blocks > 0) {
    note("from", peer,
         {util::LogLevel::Debug, std::to_string(notes.blocks) + (notes.blocks == 1 ? " block" : " blocks") + " in " +
                                     milliseconds(now - notes.since)});
    notes.blocks = 0;
    notes.since = now;
    return;
  }
  if (const auto text = sync::describe_received(message)) note("from", peer, *text);
}

void ActivityLog::on(const sync::Action& action, util::TimePoint now) {
  if (!sink_) return;
  std::visit(util::Overloaded{
                 [&](const sync::Connect& order) {
                   peers_[order.peer] = {sync::to_string(order.address), 0, now};
                   note(order.peer, "connecting");
                 },
                 [&](const sync::Send& order) {
                   const auto found = peers_.find(order.peer);
                   const bool asks = std::holds_alternative<p2p::GetData>(order.message);
                   if (found != peers_.end() && asks && found->second.blocks == 0) found->second.since = now;
                   if (const auto text = sync::describe_sent(order.message)) note("to", order.peer, *text);
                 },
                 [&](const sync::Disconnect& order) {
                   end(order.peer, "disconnecting: " + std::string(sync::to_string(order.reason)));
                 },
                 [&](const sync::Notify& order) {
                   if (const auto text = sync::describe_event(order.event)) sink_(text->level, text->text);
                 },
                 [](const auto&) {},
             },
             action);
}

}  // namespace spv::net
