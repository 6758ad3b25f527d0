#include "report/json_text.h"

#include <limits>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace spv::report {
namespace {

namespace json = boost::json;

TEST(JsonTextTest, NumbersAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(json_text(1.0), "1.0");
  EXPECT_EQ(json_text(12.5), "12.5");
  EXPECT_EQ(json_text(0.0), "0.0");
  EXPECT_EQ(json_text(-0.001), "-0.001");
  EXPECT_EQ(json_text(100'000.0), "100000.0");
  EXPECT_EQ(json_text(0.000'5), "0.0005");
}

TEST(JsonTextTest, NoNumberIsLongOrLost) {
  for (const double number : {1e-9, 1e300, 4.9e-324, 1.7976931348623157e308, 0.1, 1.0 / 3}) {
    EXPECT_EQ(json::parse(json_text(number)).as_double(), number) << json_text(number);
    EXPECT_LT(json_text(number).size(), 30U);
  }
  EXPECT_EQ(json_text(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonTextTest, AllElseIsAsItWas) {
  const json::value document = {{"empty", json::object{}},
                                {"none", json::array{}},
                                {"list", {1, "a\"b\n", nullptr, true, json::object{{"rate", 2.5}}}},
                                {"k\"ey", -7}};
  const std::string text = json_text(document);
  EXPECT_EQ(json::parse(text), document);
  EXPECT_EQ(text, R"({"empty":{},"none":[],"list":[1,"a\"b\n",null,true,{"rate":2.5}],"k\"ey":-7})");
  EXPECT_EQ(json_text(json::object{{"n", 1}}), R"({"n":1})");
}

}  // namespace
}  // namespace spv::report
