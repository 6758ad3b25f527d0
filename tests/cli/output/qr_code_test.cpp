#include "cli/output/qr_code.h"

#include <ZXing/DecodeHints.h>
#include <ZXing/ReadBarcode.h>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/spv_cli.h"

namespace spv::cli {
namespace {

/// The glyphs as a terminal with light text on dark shows them, a module several pixels wide.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

Picture draw(const std::string& text) {
  constexpr int kPixels = 4;
  std::vector<std::vector<bool>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<bool> upper;
    std::vector<bool> lower;
    for (std::size_t i = 0; i < line.size();) {
      const bool blank = line[i] == ' ';
      const std::string glyph = line.substr(i, blank ? 1 : 3);
      i += glyph.size();
      upper.push_back(glyph == "\u2588" || glyph == "\u2580");
      lower.push_back(glyph == "\u2588" || glyph == "\u2584");
    }
    rows.push_back(upper);
    rows.push_back(lower);
  }
  Picture picture;
  picture.width = static_cast<int>(rows.at(0).size()) * kPixels;
  picture.height = static_cast<int>(rows.size()) * kPixels;
  for (const auto& row : rows) {
    for (int repeat = 0; repeat < kPixels; ++repeat) {
      for (const bool light : row) picture.pixels.insert(picture.pixels.end(), kPixels, light ? 255 : 0);
    }
  }
  return picture;
}

std::string scan(const std::string& code) {
  const Picture picture = draw(code);
  ZXing::DecodeHints hints;
  hints.setFormats(ZXing::BarcodeFormat::QRCode);
  const auto result =
      ZXing::ReadBarcode({picture.pixels.data(), picture.width, picture.height, ZXing::ImageFormat::Lum}, hints);
  const std::wstring text = result.text();
  return {text.begin(), text.end()};
}

TEST(QrCode, IsReadBackByAScanner) {
  for (const std::string text : {"bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
                                 "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"}) {
    EXPECT_EQ(scan(*qr_code(text)), text);
  }
}

TEST(QrCode, RefusesWhatDoesNotFit) { EXPECT_FALSE(qr_code(std::string(3000, 'x'))); }

TEST(QrCode, IsWhatTheCommandDraws) {
  test::SpvCli cli;
  const std::string address = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";
  ASSERT_EQ(cli.run({"watch", "--address", address}).exit_code, 0);
  const auto shown = cli.run({"address", "--qr"});
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  ASSERT_EQ(shown.out.substr(0, address.size() + 1), address + "\n");
  EXPECT_EQ(scan(shown.out.substr(address.size() + 1)), address);
}

}  // namespace
}  // namespace spv::cli
