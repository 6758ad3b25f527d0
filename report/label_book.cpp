#include "report/label_book.h"

#include <boost/json.hpp>

#include "report/values.h"
#include "util/utf8.h"

namespace spv::report {

using wallet::LabelKind;

LabelBook::LabelBook(std::vector<wallet::Label> labels) {
  for (auto& label : labels) {
    std::pair key{label.kind, label.ref};
    labels_.emplace(std::move(key), std::move(label));
  }
}

std::string LabelBook::of_tx(const chain::Txid& txid) const { return text_of(LabelKind::Tx, util::to_string(txid)); }

std::string LabelBook::of_address(const std::string& address) const { return text_of(LabelKind::Address, address); }

std::string LabelBook::of_output(const chain::OutPoint& outpoint, const std::string& address) const {
  std::string own = text_of(LabelKind::Output, to_text(outpoint));
  return own.empty() ? of_address(address) : own;
}

const wallet::Label* LabelBook::find(LabelKind kind, const std::string& ref) const {
  const auto found = labels_.find({kind, ref});
  return found == labels_.end() ? nullptr : &found->second;
}

std::string LabelBook::text_of(LabelKind kind, const std::string& ref) const {
  const auto* label = find(kind, ref);
  return label == nullptr ? std::string() : util::to_line(label->text);
}

void put_label(boost::json::object& row, const std::string& label, LabelForm form) {
  if (!label.empty() || form == LabelForm::OrNull) row["label"] = text_or_null(label);
}

std::string to_text(const chain::OutPoint& outpoint) {
  return util::to_string(outpoint.txid) + ":" + std::to_string(outpoint.index);
}

}  // namespace spv::report
