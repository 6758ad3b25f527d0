#include "store/postgres/label_table.h"

#include <set>
#include <span>
#include <string>
#include <utility>

#include "store/checks.h"
#include "store/postgres/wallet_sql.h"

namespace spv::store::postgres {
namespace {

using wallet::LabelChange;

/// How many of these are about labels of their own each: one statement must not change a row twice.
std::size_t distinct_length(std::span<const LabelChange> changes) {
  std::set<std::pair<wallet::LabelKind, std::string_view>> seen;
  for (std::size_t n = 0; n < changes.size(); ++n) {
    if (!seen.emplace(changes[n].kind, changes[n].ref).second) return n;
  }
  return changes.size();
}

void change_distinct(std::int64_t wallet, std::span<const LabelChange> changes, std::vector<Command>& out) {
  std::vector<std::optional<std::string_view>> types;
  std::vector<std::optional<std::string_view>> refs;
  std::vector<std::optional<std::string_view>> texts;
  std::vector<std::optional<std::string_view>> origins;
  std::vector<std::optional<bool>> spendable;
  for (const LabelChange& change : changes) {
    types.emplace_back(to_string(change.kind));
    refs.emplace_back(change.ref);
    texts.emplace_back(change.text);
    origins.emplace_back(change.origin);
    spendable.push_back(change.spendable);
  }
  const Params keys = Params().bigint(wallet).texts(types).texts(refs);
  out.push_back({sql::kAddLabels, keys});
  out.push_back({sql::kChangeLabels, Params(keys).texts(texts).texts(origins).booleans(spendable)});
  out.push_back({sql::kDropEmptyLabels, Params().bigint(wallet).texts(refs)});
}

}  // namespace

std::vector<wallet::Label> read_labels(Connection& connection, std::int64_t wallet) {
  return labels_of(connection.run(sql::kLabels, Params().bigint(wallet)));
}

std::vector<wallet::Label> labels_of(const Result& rows) {
  std::vector<wallet::Label> out;
  out.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto kind = wallet::parse_label_kind(rows.text(row, 0));
    if (!kind) throw_corrupt("kind of a label");
    out.push_back({.kind = *kind,
                   .ref = std::string(rows.text(row, 1)),
                   .text = std::string(rows.text(row, 2)),
                   .origin = std::string(rows.text(row, 3)),
                   .spendable = rows.optional_boolean(row, 4)});
  }
  return out;
}

std::vector<Command> label_commands(std::int64_t wallet, const std::vector<LabelChange>& changes) {
  std::vector<Command> out;
  for (std::span<const LabelChange> rest(changes); !rest.empty();) {
    const std::size_t length = distinct_length(rest);
    change_distinct(wallet, rest.first(length), out);
    rest = rest.subspan(length);
  }
  return out;
}

}  // namespace spv::store::postgres
