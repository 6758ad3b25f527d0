#include "serve/electrum/link.h"

#include <gtest/gtest.h>

#include "tests/serve/electrum/electrum_fixture.h"

namespace spv::serve::electrum {
namespace {

using namespace std::chrono_literals;

class Owner final : public LinkOwner {
 public:
  [[nodiscard]] const World& world() const override { return world_; }
  [[nodiscard]] const LinkLimits& limits() const override { return limits_; }
  [[nodiscard]] util::TimePoint now() const override { return now_; }
  void carry_out(const std::shared_ptr<Link>& /*link*/, Order /*order*/) override { ++orders_; }
  void on_step(Link& /*link*/) override {}
  void on_gone(Link& /*link*/) override { ++gone_; }

  World world_ = sample_world();
  LinkLimits limits_;
  util::TimePoint now_{};
  int orders_ = 0;
  int gone_ = 0;
};

/// A link whose other end takes nothing until it is told to.
class StuckLink final : public Link {
 public:
  explicit StuckLink(Owner& owner) : Link(owner, "here") {}
  void start() override { on_ready(); }
  void receive(const std::string& text) {
    ASSERT_TRUE(is_reading_);
    is_reading_ = false;
    std::copy(text.begin(), text.end(), buffer().begin());
    on_read(false, text.size());
  }
  void take_all() {
    while (is_writing_) {
      is_writing_ = false;
      sent_ += going_out();
      on_written(false);
    }
  }
  bool is_reading_ = false;
  bool is_writing_ = false;
  std::string sent_;

 private:
  void begin_read() override { is_reading_ = true; }
  void begin_write() override { is_writing_ = true; }
  void shut() override {}
  void post_pump() override {}
};

const std::string kBanner = R"({"id":1,"method":"server.banner"})"
                            "\n";

TEST(ElectrumLink, L3_ReadsNoFasterThanTheClientTakesAnswers) {
  Owner owner;
  owner.limits_.high_water = 1'000;
  const auto link = std::make_shared<StuckLink>(owner);
  link->start();
  int lines = 0;
  for (; link->is_reading_ && lines < 1'000; ++lines) link->receive(kBanner);
  EXPECT_LT(lines, 20);
  link->take_all();
  EXPECT_TRUE(link->is_reading_) << "it goes on";
  EXPECT_EQ(std::count(link->sent_.begin(), link->sent_.end(), '\n'), lines);
}

TEST(ElectrumLink, L3_CutsOffAClientThatTakesNothing) {
  Owner owner;
  const auto link = std::make_shared<StuckLink>(owner);
  link->start();
  link->receive(kBanner);
  link->check(owner.now_ + 29s);
  EXPECT_EQ(owner.gone_, 0);
  link->check(owner.now_ + 30s);
  EXPECT_EQ(owner.gone_, 1);
}

TEST(ElectrumLink, L3_CutsOffAClientThatSaysNothing) {
  Owner owner;
  const auto link = std::make_shared<StuckLink>(owner);
  link->start();
  link->check(owner.now_ + 9min);
  EXPECT_EQ(owner.gone_, 0);
  link->check(owner.now_ + 10min);
  EXPECT_EQ(owner.gone_, 1);
  const auto silent = std::make_shared<StuckLink>(owner);  // its handshake never ends
  silent->check(owner.now_ + 10s);
  EXPECT_EQ(owner.gone_, 2);
}

TEST(ElectrumLink, ErrandsWaitWhileNothingIsTaken) {
  Owner owner;
  owner.limits_.high_water = 100;
  const auto link = std::make_shared<StuckLink>(owner);
  link->start();
  link->receive(kBanner + R"({"id":2,"method":"blockchain.relayfee"})" + "\n");
  EXPECT_EQ(owner.orders_, 0);
  link->take_all();
  EXPECT_EQ(owner.orders_, 1);
}

TEST(ElectrumLink, SaysWhyBeforeItEnds) {
  Owner owner;
  const auto link = std::make_shared<StuckLink>(owner);
  link->start();
  link->receive(R"({"id":1,"method":"server.version","params":["x","9.9"]})"
                "\n");
  EXPECT_EQ(owner.gone_, 0);
  link->take_all();
  EXPECT_NE(link->sent_.find("unsupported protocol version"), std::string::npos);
  EXPECT_EQ(owner.gone_, 1);
}

}  // namespace
}  // namespace spv::serve::electrum
