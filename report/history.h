// The rows of a wallet's history.
#pragma once

#include <boost/json/fwd.hpp>

#include "report/label_book.h"
#include "util/time.h"
#include "wallet/records.h"

namespace spv::report {

/// When a transaction was mined, else first seen.
util::UnixTime time_of(const wallet::HistoryEntry& entry);

/// How far one of ours that waits for a block has got: "send_state" and "peers_accepted"; nothing for all others.
void put_sending(boost::json::object& out, const wallet::HistoryEntry& entry);
/// "reason": why a transaction counts nowhere, if it does not. True if it was set.
bool put_reason(boost::json::object& out, const wallet::HistoryEntry& entry);

/// {"txid","height","block","time","net_sat","fee_sat","confirmations","status"}, the label and how it was sent, and of
/// one that counts nowhere "reason" and "replaced_by".
boost::json::object history_row(const wallet::HistoryEntry& entry, const LabelBook& book,
                                LabelForm form = LabelForm::IfAny);

}  // namespace spv::report
