#include "sync/types/describe.h"

#include <map>

#include "util/overloaded.h"

namespace spv::sync {
namespace {

using util::LogLevel;

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string name_of(p2p::InventoryType type) {
  switch (type) {
    case p2p::InventoryType::Tx:
    case p2p::InventoryType::WitnessTx:
      return "transaction";
    case p2p::InventoryType::FilteredBlock:
      return "filtered block";
    case p2p::InventoryType::Block:
    case p2p::InventoryType::WitnessBlock:
      return "block";
    default:
      return "other item";
  }
}

/// "500 filtered blocks, 1 transaction"
std::string items_text(const std::vector<p2p::InventoryItem>& items) {
  std::map<std::string, std::size_t> counts;
  for (const auto& item : items) ++counts[name_of(item.type)];
  std::string out;
  for (const auto& [name, count] : counts) out += (out.empty() ? "" : ", ") + counted(count, name);
  return out.empty() ? "nothing" : out;
}

LogNote debug(std::string text) { return {LogLevel::Debug, std::move(text)}; }
LogNote trace(std::string text) { return {LogLevel::Trace, std::move(text)}; }

using Note = std::optional<LogNote>;

}  // namespace

std::optional<LogNote> describe_sent(const p2p::Message& message) {
  return std::visit(util::Overloaded{
                        [](const p2p::GetHeaders& m) -> Note {
                          return debug("getheaders, locator of " + counted(m.locator.size(), "block"));
                        },
                        [](const p2p::GetData& m) -> Note { return debug("getdata for " + items_text(m.items)); },
                        [](const p2p::FilterLoad& m) -> Note {
                          return debug("filterload of " + counted(m.filter.bits().size(), "byte") + " and " +
                                       counted(m.filter.hash_funcs(), "function"));
                        },
                        [](const p2p::Mempool&) -> Note { return debug("mempool"); },
                        [](const p2p::GetAddr&) -> Note { return debug("getaddr"); },
                        [](const p2p::Inv& m) -> Note { return debug("inv of " + items_text(m.items)); },
                        [](const p2p::Unknown& m) -> Note { return trace(m.command); },
                        [](const auto& m) -> Note { return trace(std::string(std::decay_t<decltype(m)>::kCommand)); },
                    },
                    message);
}

std::optional<LogNote> describe_received(const p2p::Message& message) {
  return std::visit(
      util::Overloaded{
          [](const p2p::Version& m) -> Note {
            return debug("version: " + p2p::printable(m.user_agent) + ", block " + std::to_string(m.start_height) +
                         ", services " + std::to_string(m.services));
          },
          [](const p2p::Headers& m) -> Note { return debug(counted(m.headers.size(), "header")); },
          [](const p2p::Inv& m) -> Note { return debug("inv of " + items_text(m.items)); },
          [](const p2p::NotFound& m) -> Note { return debug("notfound for " + items_text(m.items)); },
          [](const p2p::Addr& m) -> Note { return debug(counted(m.addresses.size(), "peer address")); },
          [](const p2p::AddrV2& m) -> Note { return debug(counted(m.addresses.size(), "peer address")); },
          [](const p2p::MerkleBlock&) -> Note { return std::nullopt; },
          [](const p2p::Block&) -> Note { return std::nullopt; },
          [](const p2p::Tx&) -> Note { return std::nullopt; },
          [](const p2p::Unknown& m) -> Note { return trace(m.command + " of " + counted(m.payload_bytes, "byte")); },
          [](const auto& m) -> Note { return trace(std::string(std::decay_t<decltype(m)>::kCommand)); },
      },
      message);
}

std::optional<LogNote> describe_event(const Event& event) {
  return std::visit(
      util::Overloaded{
          [](const TipChanged& e) -> Note { return debug("scanned up to block " + std::to_string(e.tip.height)); },
          [](const ChainReorganised& e) -> Note {
            return debug("reorg: the best chain left the old one at block " + std::to_string(e.fork_height) +
                         " and is at block " + std::to_string(e.to.height));
          },
          [](const ReorganisationHeld& e) -> Note {
            return debug("a reorg from block " + std::to_string(e.fork_height) + " on waits for a second peer");
          },
          [](const ChainStale& e) -> Note {
            return debug("no new block for " + std::to_string(e.seconds) + " s: looking for other peers");
          },
          [](const ClockSuspected& e) -> Note {
            return debug("a block is " + std::to_string(e.seconds) + " s ahead of this clock");
          },
          [](const PeerStateChanged& e) -> Note {
            if (e.state != "connected") return std::nullopt;  // the end of a connection is a decision of its own
            return debug("peer " + to_string(e.address) + ": handshake complete");
          },
          [](const Finished& e) -> Note {
            return debug(e.failure ? "gave up: " + e.failure->message : "everything is scanned");
          },
          [](const auto&) -> Note { return std::nullopt; },
      },
      event);
}

}  // namespace spv::sync
