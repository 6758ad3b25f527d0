#include "report/history.h"

#include <boost/json.hpp>

#include "report/values.h"

namespace spv::report {

util::UnixTime time_of(const wallet::HistoryEntry& entry) {
  return entry.confirmation ? util::UnixTime{entry.confirmation->block_time} : entry.first_seen;
}

void put_sending(boost::json::object& out, const wallet::HistoryEntry& entry) {
  if (entry.confirmation || !entry.sending) return;
  out["send_state"] = to_string(entry.sending->state);
  out["peers_accepted"] = entry.sending->peers_accepted;
}

bool put_reason(boost::json::object& out, const wallet::HistoryEntry& entry) {
  if (entry.set_apart == wallet::SetApart::No || entry.set_apart == wallet::SetApart::NotSent) return false;
  out["reason"] = to_string(entry.set_apart);
  return true;
}

boost::json::object history_row(const wallet::HistoryEntry& entry, const LabelBook& book, LabelForm form) {
  boost::json::object out{{"txid", util::to_string(entry.txid)}};
  const auto& confirmation = entry.confirmation;
  out["height"] = confirmation ? boost::json::value(confirmation->block.height) : nullptr;
  out["block"] = confirmation ? boost::json::value(util::to_string(confirmation->block.hash)) : nullptr;
  out["time"] = time_of(entry);
  out["net_sat"] = entry.net;
  out["fee_sat"] = or_null(entry.fee);
  out["confirmations"] = entry.confirmations;
  out["status"] = to_string(entry.status);
  put_label(out, book.of_tx(entry.txid), form);
  put_sending(out, entry);
  if (put_reason(out, entry)) out["replaced_by"] = txid_or_null(entry.replaced_by);
  return out;
}

}  // namespace spv::report
