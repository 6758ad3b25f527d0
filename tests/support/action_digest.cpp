#include "tests/support/action_digest.h"

#include <algorithm>

#include "p2p/message_reader.h"
#include "util/hash.h"
#include "util/overloaded.h"

namespace spv::test {
namespace {

using util::Writer;

void put(Writer& out, const chain::BlockRef& block) { out.integer(block.height).hash(block.hash); }
void put(Writer& out, const sync::PeerAddress& address) { out.var_string(to_string(address)); }

template <typename T, typename Put>
void put_optional(Writer& out, const std::optional<T>& value, Put put_value) {
  out.integer(std::uint8_t{value.has_value()});
  if (value) put_value(*value);
}

void put(Writer& out, const sync::Event& event) {
  const auto put_fork = [&](std::string_view name, const auto& e) {
    out.var_string(name);
    put(out, e.from);
    put(out, e.to);
    out.integer(e.fork_height);
  };
  std::visit(util::Overloaded{
                 [&](const sync::TipChanged& e) { put(out.var_string("tip"), e.tip); },
                 [&](const sync::ChainReorganised& e) { put_fork("reorganised", e); },
                 [&](const sync::ReorganisationHeld& e) { put_fork("held", e); },
                 [&](const sync::ChainStale& e) { put(out.var_string("stale").integer(e.seconds), e.tip); },
                 [&](const sync::ClockSuspected& e) { out.var_string("clock").integer(e.seconds); },
                 [&](const sync::TransactionSeen& e) {
                   out.var_string("seen").hash(e.txid).integer(e.net);
                   put_optional(out, e.height, [&](chain::Height height) { out.integer(height); });
                 },
                 [&](const sync::TransactionConflicted& e) {
                   out.var_string("conflicted").hash(e.txid);
                   put_optional(out, e.replaced_by, [&](const chain::Txid& txid) { out.hash(txid); });
                 },
                 [&](const sync::PeerStateChanged& e) { put(out.var_string("peer"), e.address); },
                 [&](const sync::BroadcastChanged& e) {
                   out.var_string("broadcast").hash(e.txid).integer(static_cast<int>(e.state));
                   out.integer(static_cast<std::uint64_t>(e.peers_accepted)).integer(std::uint8_t{e.final});
                 },
                 [&](const sync::FeesKnown& e) {
                   out.var_string("fees").integer(e.floor.value_or(-1)).integer(e.estimate.value_or(-1));
                 },
                 [&](const sync::Finished& e) {
                   out.var_string("finished");
                   put_optional(out, e.failure, [&](const sync::Failure& f) { out.integer(static_cast<int>(f.code)); });
                 },
             },
             event);
}

void put(Writer& out, const wallet::TxRecord& record) {
  out.hash(record.txid).integer(record.first_seen).integer(record.sequence).integer(record.seen_at);
  out.var_bytes(record.tx.serialize(chain::Witness::Include)).var_bytes(record.proof);
  put_optional(out, record.confirmation, [&](const wallet::Confirmation& confirmation) {
    put(out, confirmation.block);
    out.integer(confirmation.block_time).integer(confirmation.index);
  });
}

void put(Writer& out, const wallet::ScanState& scan) {
  put(out, scan.scanned_to);
  out.integer(scan.peers).integer(scan.time);
  put_optional(out, scan.backfill,
               [&](const wallet::HeightRange& range) { out.integer(range.from).integer(range.to); });
  for (const auto& anchor : scan.anchors) put(out, anchor);
  for (const auto& period : scan.attested.periods()) {
    out.integer(period.index).integer(period.by_two).integer(period.whole);
  }
}

util::Hash256 chained(const util::Hash256& before, util::TimePoint now, const Writer& what) {
  Writer out;
  out.hash(before).integer(static_cast<std::int64_t>((now - util::TimePoint{}).count())).bytes(what.data());
  return util::sha256(out.data());
}

}  // namespace

void ActionDigest::add(const sync::Action& action, util::TimePoint now) {
  Writer out;
  const bool told =
      std::visit(util::Overloaded{
                     [&](const sync::Connect& order) {
                       put(out.var_string("connect").integer(order.peer), order.address);
                       return true;
                     },
                     [&](const sync::Send& order) {
                       out.var_string("send").integer(order.peer).bytes(p2p::encode_frame({}, order.message));
                       return true;
                     },
                     [&](const sync::Disconnect& order) {
                       out.var_string("disconnect").integer(order.peer).integer(static_cast<int>(order.reason));
                       return true;
                     },
                     [&](const sync::Notify& order) {
                       put(out.var_string("notify"), order.event);
                       return true;
                     },
                     [&](const sync::FindPeers&) {
                       out.var_string("find");
                       return true;
                     },
                     [&](const sync::Persist&) { return false; },
                 },
                 action);
  if (told) actions_ = chained(actions_, now, out);
}

void ActionDigest::add_commit(const wallet::WalletState& committed, util::TimePoint now) {
  Writer out;
  std::vector<const wallet::TxRecord*> records;
  for (const auto& record : committed.transactions) records.push_back(&record);
  std::ranges::sort(records, {}, [](const wallet::TxRecord* record) { return record->txid; });
  for (const auto* record : records) put(out, *record);
  for (const auto& chain : committed.key_chains) {
    out.integer(chain.watched).integer(chain.next_unissued);
    put_optional(out, chain.last_used, [&](std::uint32_t index) { out.integer(index); });
  }
  put(out, committed.scan);
  commits_ = chained(commits_, now, out);
}

}  // namespace spv::test
