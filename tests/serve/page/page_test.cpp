#include "serve/page/page.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <zlib.h>

#include <gtest/gtest.h>

namespace spv::serve {

const std::vector<PageFile>& test_files();

namespace {

std::string header(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return {};
}

std::string unpack(std::string_view packed) {
  std::string plain(1'000'000, '\0');
  z_stream stream{};
  inflateInit2(&stream, 16 + MAX_WBITS);
  std::string in(packed);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  return plain;
}

Request request_for(std::vector<std::string> segments) {
  Request request;
  request.segments = std::move(segments);
  return request;
}

TEST(Page, EveryFileIsEmbeddedByteForByte) {
  std::set<std::string> names;
  for (const auto& file : test_files()) {
    names.emplace(file.name);
    std::ifstream in(std::filesystem::path(SPV_PAGE_TEST_FILES) / file.name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_EQ(file.plain, text.str()) << file.name;
    EXPECT_TRUE(file.packed.empty() || unpack(file.packed) == text.str()) << file.name;
    EXPECT_EQ(file.etag.size(), 32U);
  }
  EXPECT_EQ(names, (std::set<std::string>{"app.js", "empty.css", "icon.svg", "index.html"}));
}

TEST(Page, IsServedWithItsTypeAndTag) {
  const Page page(test_files());
  const auto index = page.answer(request_for({}));
  ASSERT_TRUE(index);
  EXPECT_EQ(index->status, 200U);
  EXPECT_EQ(index->content_type, "text/html; charset=utf-8");
  EXPECT_EQ(header(*index, "Cache-Control"), "no-cache");
  EXPECT_TRUE(index->body.starts_with("<!doctype html>"));
  EXPECT_EQ(page.answer(request_for({"index.html"}))->body, index->body);
  EXPECT_EQ(page.answer(request_for({"app.js"}))->content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(page.answer(request_for({"icon.svg"}))->content_type, "image/svg+xml");
}

TEST(Page, IsSentAgainOnlyIfItHasChanged) {
  const Page page(test_files());
  Request request = request_for({});
  const std::string tag = header(*page.answer(request), "ETag");
  for (const std::string& known : {tag, "\"x\", " + tag, "W/" + tag, std::string("*")}) {
    request.if_none_match = known;
    EXPECT_EQ(page.answer(request)->status, 304U) << known;
    EXPECT_EQ(page.answer(request)->body, "");
    EXPECT_EQ(header(*page.answer(request), "ETag"), tag);
  }
  request.if_none_match = "\"x\"";
  EXPECT_EQ(page.answer(request)->status, 200U);
}

TEST(Page, IsPackedForThoseWhoTakeIt) {
  const Page page(test_files());
  Request request = request_for({});
  const auto plain = page.answer(request);
  request.accepts_gzip = true;
  const auto packed = page.answer(request);
  EXPECT_EQ(header(*packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(*packed, "Vary"), "Accept-Encoding");
  EXPECT_LT(packed->body.size(), plain->body.size());
  EXPECT_EQ(unpack(packed->body), plain->body);
  EXPECT_NE(header(*packed, "ETag"), header(*plain, "ETag"));
  EXPECT_EQ(header(*page.answer([] {
              Request small = request_for({"icon.svg"});
              small.accepts_gzip = true;
              return small;
            }()),
                   "Content-Encoding"),
            "");
}

TEST(Page, A9_ThePageMayRunAndLoadOnlyWhatIsItsOwn) {
  const Page page(test_files());
  for (const auto& file : test_files()) {
    const auto policy = header(*page.answer(request_for({std::string(file.name)})), "Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'; ")) << file.name;
    EXPECT_NE(policy.find("script-src 'self';"), std::string::npos);
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  }
}

TEST(Page, A5_OnlyItsOwnFilesAreServed) {
  const Page page(test_files());
  for (const auto& segments : std::vector<std::vector<std::string>>{
           {"app.js", ""}, {"v1", "wallets"}, {"etc", "passwd"}, {""}, {"APP.JS"}, {"index"}, {"app.js "}})
    EXPECT_FALSE(page.answer(request_for(segments))) << segments.size();
  Request change = request_for({});
  change.method = Method::Post;
  EXPECT_EQ(page.answer(change)->status, 405U);
  const std::vector<PageFile> none;
  EXPECT_FALSE(Page(none).has(request_for({})));
}

}  // namespace
}  // namespace spv::serve
