// LabelBook: the labels of a wallet, to be shown beside what they are of.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/fwd.hpp>

#include "chain/transaction.h"
#include "cli/output/table.h"
#include "wallet/label.h"

namespace spv::store {
class StoredWallet;
}  // namespace spv::store

namespace spv::cli {

class LabelBook {
 public:
  explicit LabelBook(store::StoredWallet& file);

  /// The label as one line that is safe to print; empty where there is none.
  [[nodiscard]] std::string of_tx(const chain::Txid& txid) const;
  [[nodiscard]] std::string of_address(const std::string& address) const;
  /// Of the output itself, else of its address.
  [[nodiscard]] std::string of_output(const chain::OutPoint& outpoint, const std::string& address) const;
  /// A label as it is stored; null where there is none.
  [[nodiscard]] const wallet::Label* find(wallet::LabelKind kind, const std::string& ref) const;

 private:
  [[nodiscard]] std::string text_of(wallet::LabelKind kind, const std::string& ref) const;

  std::map<std::pair<wallet::LabelKind, std::string>, wallet::Label> labels_;
};

/// "txid:1"
std::string to_text(const chain::OutPoint& outpoint);
/// Sets "label" of a row where there is one.
void put_label(boost::json::object& row, const std::string& label);
/// The same table with the labels as its last column, if one of them is not empty; one for each row.
Table with_labels(const Table& table, const std::vector<std::string>& labels);

}  // namespace spv::cli
