#include "cli/wallet/label_book.h"

#include <algorithm>

#include <boost/json.hpp>

#include "cli/output/text.h"
#include "store/stored_wallet.h"

namespace spv::cli {

using wallet::LabelKind;

LabelBook::LabelBook(store::StoredWallet& file) {
  for (auto& label : file.labels()) {
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
  return label == nullptr ? std::string() : to_line(label->text);
}

void put_label(boost::json::object& row, const std::string& label) {
  if (!label.empty()) row["label"] = label;
}

Table with_labels(const Table& table, const std::vector<std::string>& labels) {
  const bool any = std::ranges::any_of(labels, [](const auto& label) { return !label.empty(); });
  return any ? table.with({"label", false, Narrow::ShortenFirst}, labels) : table;
}

std::string to_text(const chain::OutPoint& outpoint) {
  return util::to_string(outpoint.txid) + ":" + std::to_string(outpoint.index);
}

}  // namespace spv::cli
