// The labels of a wallet file (BIP329), one row each with its checksum, and their total: a lost row is noticed.
#pragma once

#include <vector>

#include "chain/transaction.h"
#include "store/database.h"
#include "wallet/label.h"

namespace spv::store {

/// All of them, by kind and reference. Within a transaction.
std::vector<wallet::Label> read_labels(Database& db);
/// The outputs among them that are not to be spent.
std::vector<chain::OutPoint> frozen_outputs(const std::vector<wallet::Label>& labels);
/// What makes these of none.
std::vector<wallet::LabelChange> changes_to(const std::vector<wallet::Label>& labels);
/// Within a transaction that writes.
void write_labels(Database& db, const std::vector<wallet::LabelChange>& changes);

}  // namespace spv::store
