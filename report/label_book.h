// LabelBook: the labels of a wallet, to be shown beside what they are of.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/fwd.hpp>

#include "chain/transaction.h"
#include "wallet/label.h"

namespace spv::report {

class LabelBook {
 public:
  explicit LabelBook(std::vector<wallet::Label> labels);

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

/// Whether a row without a label says so.
enum class LabelForm {
  IfAny,   // it has no field "label"
  OrNull,  // which is null then
};
/// Sets "label" of a row.
void put_label(boost::json::object& row, const std::string& label, LabelForm form = LabelForm::IfAny);

}  // namespace spv::report
