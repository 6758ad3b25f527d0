#include "store/labels.h"

#include <algorithm>

#include "store/rows.h"
#include "util/codec.h"

namespace spv::store {
namespace {

using wallet::Label;

// "id" and the row's own values, in this order.
constexpr std::string_view kLabelColumns = "id, type, ref, label, origin, spendable, checksum";

struct LabelRow {
  std::int64_t id = 0;
  Label label;
  Checksum checksum{};
};

Checksum checksum_of(const Label& label) {
  util::Writer values;
  values.var_string("label").var_string(to_string(label.kind)).var_string(label.ref).var_string(label.text);
  values.var_string(label.origin).integer(std::uint8_t{label.spendable.has_value()});
  values.integer(std::uint8_t{label.spendable.value_or(false)});
  return checksum_over(values);
}

LabelRow read_row(const Statement& from) {
  LabelRow row;
  row.id = from.integer(0);
  const auto kind = wallet::parse_label_kind(from.text(1));
  if (!kind) throw_corrupt("kind of a label");
  row.label = {.kind = *kind, .ref = from.text(2), .text = from.text(3), .origin = from.text(4)};
  if (const auto spendable = from.optional_integer(5)) {
    if (*spendable != 0 && *spendable != 1) throw_corrupt("label row");
    row.label.spendable = *spendable == 1;
  }
  row.checksum = read_checksum(from.blob(6), "label row");
  if (row.checksum != checksum_of(row.label)) throw_corrupt("label row");
  return row;
}

TxTotals read_totals(Database& db) {
  Statement query = db.prepare("SELECT label_count, label_sum FROM label_total");
  if (!query.step()) throw_corrupt("no total of labels");
  return {.count = query.integer(0), .sum = read_checksum(query.blob(1), "total of labels")};
}

void write_totals(Database& db, const TxTotals& totals) {
  Statement update = db.prepare("UPDATE label_total SET label_count = ?1, label_sum = ?2 WHERE id = 1");
  update.bind(1, totals.count).bind(2, util::ByteView(totals.sum)).run();
}

void apply(const wallet::LabelChange& change, Label& label) {
  if (change.text) label.text = *change.text;
  if (change.origin) label.origin = *change.origin;
  if (change.spendable) label.spendable = change.spendable;
}

/// The statements of one write, made once.
class LabelWriter {
 public:
  explicit LabelWriter(Database& db)
      : find_(db.prepare("SELECT " + std::string(kLabelColumns) + " FROM label WHERE type = ?1 AND ref = ?2")),
        put_(db.prepare("INSERT INTO label (" + std::string(kLabelColumns) +
                        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (type, ref) DO UPDATE SET label = ?4,"
                        " origin = ?5, spendable = ?6, checksum = ?7")),
        remove_(db.prepare("DELETE FROM label WHERE type = ?1 AND ref = ?2")) {}

  void write(const wallet::LabelChange& change, TxTotals& totals) {
    Label label{.kind = change.kind, .ref = change.ref, .text = {}, .origin = {}};
    find_.bind(1, to_string(change.kind)).bind(2, std::string_view(change.ref));
    if (find_.step()) {
      const LabelRow row = read_row(find_);
      label = row.label;
      totals.toggle(row.checksum);
      --totals.count;
    }
    find_.reset();
    apply(change, label);
    if (label.text.empty() && !label.spendable) {
      remove_.bind(1, to_string(label.kind)).bind(2, std::string_view(label.ref)).run();
      return;
    }
    const Checksum checksum = checksum_of(label);
    put_.bind_null(1).bind(2, to_string(label.kind)).bind(3, std::string_view(label.ref));
    put_.bind(4, std::string_view(label.text)).bind(5, std::string_view(label.origin));
    std::optional<std::int64_t> spendable;
    if (label.spendable) spendable = *label.spendable ? 1 : 0;
    put_.bind(6, spendable).bind(7, util::ByteView(checksum)).run();
    totals.toggle(checksum);
    ++totals.count;
  }

 private:
  Statement find_;
  Statement put_;
  Statement remove_;
};

}  // namespace

std::vector<Label> read_labels(Database& db) {
  std::vector<Label> out;
  TxTotals totals;
  Statement query = db.prepare("SELECT " + std::string(kLabelColumns) + " FROM label ORDER BY type, ref");
  while (query.step()) {
    LabelRow row = read_row(query);
    totals.toggle(row.checksum);
    ++totals.count;
    out.push_back(std::move(row.label));
  }
  if (totals != read_totals(db)) throw_corrupt("a label is missing or there twice");
  return out;
}

std::vector<chain::OutPoint> frozen_outputs(const std::vector<Label>& labels) {
  std::vector<chain::OutPoint> out;
  for (const Label& label : labels) {
    if (label.kind != wallet::LabelKind::Output || label.spendable != false) continue;
    if (const auto outpoint = wallet::parse_outpoint(label.ref)) out.push_back(*outpoint);
  }
  return out;
}

std::vector<wallet::LabelChange> changes_to(const std::vector<Label>& labels) {
  std::vector<wallet::LabelChange> changes;
  changes.reserve(labels.size());
  for (const auto& label : labels) {
    changes.push_back({label.kind, label.ref, label.text, label.origin, label.spendable});
  }
  return changes;
}

void write_labels(Database& db, const std::vector<wallet::LabelChange>& changes) {
  TxTotals totals = read_totals(db);
  LabelWriter writer(db);
  for (const auto& change : changes) writer.write(change, totals);
  write_totals(db, totals);
}

}  // namespace spv::store
