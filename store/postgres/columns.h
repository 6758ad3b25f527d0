// Rows turned into columns, as Params takes them for one statement.
#pragma once

#include <optional>
#include <vector>

#include "util/bytes.h"

namespace spv::store::postgres {

/// One value of each row.
template <typename T, typename Rows, typename Get>
std::vector<std::optional<T>> column(const Rows& rows, Get get) {
  std::vector<std::optional<T>> out;
  out.reserve(rows.size());
  for (const auto& row : rows) out.emplace_back(get(row));
  return out;
}

/// Of a hash that may be missing; as long as that is there.
template <typename Hash>
std::optional<util::ByteView> view_of(const std::optional<Hash>& hash) {
  return hash ? std::optional<util::ByteView>(hash->view()) : std::nullopt;
}

}  // namespace spv::store::postgres
