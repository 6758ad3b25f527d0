#include "serve/live/page_reader.h"

#include <exception>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace spv::serve {
namespace {

constexpr std::size_t kMostWaiting = 2'048;

}  // namespace

PageReader::PageReader(boost::asio::io_context& io, store::Store& store, RenderEvent render, std::size_t threads)
    : io_(io), store_(store), render_(std::move(render)), pool_(threads, kMostWaiting) {}

void PageReader::read(PageQuery query, Then then) {
  const auto shared = std::make_shared<Then>(std::move(then));
  const bool taken = pool_.post([this, query = std::move(query), shared] {
    boost::asio::post(io_, [shared, page = read_now(query)]() mutable { (*shared)(std::move(page)); });
  });
  if (taken) return;
  boost::asio::post(io_, [shared] { (*shared)(util::Unexpected{std::string("too many requests for old events")}); });
}

PageResult PageReader::read_now(const PageQuery& query) const {
  try {
    return read_page(store_, query, render_);
  } catch (const std::exception& error) {
    return util::Unexpected{std::string(error.what())};
  }
}

}  // namespace spv::serve
