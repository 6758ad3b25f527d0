#include "cli/output/event_report.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "cli/error.h"
#include "cli/output/stdout_file.h"
#include "util/hash256.h"

namespace spv::cli {
namespace {

using client::TransactionSeen;

const chain::Txid kTxid{{1}};
const chain::Txid kOther{{2}};

std::string text_of(const client::SyncEvent& event, AmountUnit unit = AmountUnit::Btc) {
  return event_text(event, unit);
}

TEST(EventReport, ATransactionSaysWhereItStands) {
  const auto id = util::to_string(kTxid);
  EXPECT_EQ(text_of(TransactionSeen{kTxid, 50'000'000, 7}), "+0.50000000 BTC  " + id + "  in block 7");
  EXPECT_EQ(text_of(TransactionSeen{kTxid, -1, {}}), "-0.00000001 BTC  " + id + "  unconfirmed");
  EXPECT_EQ(text_of(TransactionSeen{kTxid, 5, {}, true}, AmountUnit::Sat),
            "+5 sat  " + id + "  unconfirmed again (reorg)");
}

// 2^53 + 1 satoshis are no double.
TEST(EventReport, AmountsAreExact) {
  EXPECT_TRUE(text_of(TransactionSeen{kTxid, 9'007'199'254'740'993, {}}).starts_with("+90071992.54740993 BTC  "));
}

TEST(EventReport, ProgramsGetSatoshisAndNoHeightWhileItIsUnconfirmed) {
  for (const bool again : {false, true}) {
    EXPECT_EQ(
        event_json(TransactionSeen{kTxid, 5, {}, again}),
        (boost::json::object{{"event", "tx"}, {"txid", util::to_string(kTxid)}, {"net_sat", 5}, {"height", nullptr}}));
  }
}

TEST(EventReport, AConflictNamesWhatReplacedIt) {
  const client::TransactionConflicted known{kTxid, kOther};
  EXPECT_EQ(text_of(known), "conflicted  " + util::to_string(kTxid) + ", replaced by " + util::to_string(kOther));
  EXPECT_EQ(text_of(client::TransactionConflicted{kTxid, {}}), "conflicted  " + util::to_string(kTxid));
  EXPECT_EQ(event_json(known).at("replaced_by"), boost::json::value(util::to_string(kOther)));
}

TEST(EventReport, AReorganisationCountsItsBlocks) {
  EXPECT_EQ(text_of(client::ChainReorganised{{7, {}}, {8, {}}, 6}),
            "reorg: 1 block above block 6 replaced, now at block 8");
  EXPECT_EQ(text_of(client::ChainReorganised{{9, {}}, {10, {}}, 6}),
            "reorg: 3 blocks above block 6 replaced, now at block 10");
}

/// In a process of its own, whose stdout is full: exits with 0 if nothing is said, else with 7 and the words.
template <typename Print>
[[noreturn]] void on_a_full_disk(Print print) {
  if (std::freopen("/dev/full", "w", stdout) == nullptr) std::_Exit(9);
  try {
    print();
  } catch (const CommandError& error) {
    std::fputs(error.what(), stderr);
    std::_Exit(7);
  }
  std::_Exit(0);
}

TEST(EventReportDeathTest, AnEventThatCannotBeWrittenIsAnError) {
  for (const bool json : {false, true}) {
    EXPECT_EXIT(on_a_full_disk([&] {
                  print_event(client::TipChanged{{7, {}}}, json, AmountUnit::Btc);
                }),
                testing::ExitedWithCode(7), "cannot write the output: No space left on device");
  }
}

TEST(EventReportDeathTest, AnEarlierFailureIsNotBlamedOnAnotherError) {
  EXPECT_EXIT(on_a_full_disk([] {
                std::setvbuf(stdout, nullptr, _IONBF, 0);
                static_cast<void>(std::fputs("lost", stdout) == 0);
                errno = EAGAIN;
                flush_stdout();
              }),
              testing::ExitedWithCode(7), "cannot write the output: part of it is lost");
}

}  // namespace
}  // namespace spv::cli
