// The labels of a wallet in the database (BIP329).
#pragma once

#include <cstdint>
#include <vector>

#include "store/postgres/connection.h"
#include "wallet/label.h"

namespace spv::store::postgres {

/// All of them, by kind and reference.
std::vector<wallet::Label> read_labels(Connection& connection, std::int64_t wallet);
/// The same from the rows of sql::kLabels.
std::vector<wallet::Label> labels_of(const Result& rows);
/// For one transaction, in the order of the changes.
std::vector<Command> label_commands(std::int64_t wallet, const std::vector<wallet::LabelChange>& changes);

}  // namespace spv::store::postgres
