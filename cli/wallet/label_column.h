// Labels as the last column of a table.
#pragma once

#include <string>
#include <vector>

#include "cli/output/table.h"

namespace spv::cli {

/// The same table with the labels as its last column, if one of them is not empty; one for each row.
Table with_labels(const Table& table, const std::vector<std::string>& labels);

}  // namespace spv::cli
