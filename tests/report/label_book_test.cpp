#include "report/label_book.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace spv::report {
namespace {

using wallet::LabelKind;

chain::OutPoint some_outpoint() { return {.txid = chain::Txid{}, .index = 7}; }

TEST(LabelBook, ShowsALabelAsOneLine) {
  const std::string txid(64, '0');
  const LabelBook book({{.kind = LabelKind::Tx, .ref = txid, .text = "rent\nof \x1b[2JMay", .origin = {}}});
  EXPECT_EQ(book.of_tx(chain::Txid{}), "rent of  [2JMay");
  EXPECT_EQ(book.find(LabelKind::Tx, txid)->text, "rent\nof \x1b[2JMay") << "as it is stored";
  EXPECT_EQ(book.find(LabelKind::Address, txid), nullptr);
}

TEST(LabelBook, AnOutputHasItsOwnLabelBeforeThatOfItsAddress) {
  const wallet::Label of_address{.kind = LabelKind::Address, .ref = "bc1q", .text = "shop", .origin = {}};
  const wallet::Label of_output{
      .kind = LabelKind::Output, .ref = to_text(some_outpoint()), .text = "order 7", .origin = {}};
  const wallet::Label empty{
      .kind = LabelKind::Output, .ref = to_text(some_outpoint()), .text = "", .origin = {}, .spendable = false};
  EXPECT_EQ(LabelBook({of_address, of_output}).of_output(some_outpoint(), "bc1q"), "order 7");
  EXPECT_EQ(LabelBook({of_address, empty}).of_output(some_outpoint(), "bc1q"), "shop");
  EXPECT_EQ(LabelBook({}).of_output(some_outpoint(), "bc1q"), "");
}

TEST(LabelBook, ARowSaysThatThereIsNoneOnlyWhereItMust) {
  boost::json::object row;
  put_label(row, "");
  EXPECT_FALSE(row.contains("label"));
  put_label(row, "", LabelForm::OrNull);
  EXPECT_TRUE(row.at("label").is_null());
  put_label(row, "rent", LabelForm::OrNull);
  EXPECT_EQ(row.at("label"), "rent");
}

}  // namespace
}  // namespace spv::report
