// Bodies of API requests: what is taken keeps to the limits, what is refused says why in one line, and what a body says
// can be written and taken again.
#include <algorithm>
#include <cmath>

#include "serve/api/json_body.h"
#include "serve/api/query.h"
#include "serve/api/requests.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"
#include "util/utf8.h"

namespace {

using namespace spv;

template <typename T>
bool is_taken(const serve::Parsed<T>& parsed) {
  if (parsed) return true;
  const std::string& why = parsed.error().message;
  util::ensure(!why.empty() && why.size() < 400, "no reason is given, or a long one");
  util::ensure(why == util::to_line(why), "the reason is not one line of text");
  return false;
}

// A number beyond all doubles is read as infinite, which JSON cannot say.
bool is_finite(const boost::json::value& value) {
  if (const auto* object = value.if_object()) {
    return std::ranges::all_of(*object, [](const auto& field) { return is_finite(field.value()); });
  }
  if (const auto* list = value.if_array()) return std::ranges::all_of(*list, is_finite);
  return !value.is_double() || std::isfinite(value.get_double());
}

void check_wallet(std::string_view text) {
  const auto wallet = serve::parse_new_wallet(text);
  if (!is_taken(wallet)) return;
  util::ensure(store::is_wallet_name(wallet->name), "a name that is not one is taken");
  const int kinds =
      (wallet->descriptors.empty() ? 0 : 1) + (wallet->addresses.empty() ? 0 : 1) + (wallet->xpub ? 1 : 0);
  util::ensure(kinds == 1, "not exactly one of descriptors, xpub and addresses");
  util::ensure(wallet->gap_limit.value_or(1) >= 1 && wallet->gap_limit.value_or(1) <= 1'000, "a gap limit beyond");
}

void check_payment(std::string_view text) {
  const auto payment = serve::parse_psbt_request(text);
  if (!is_taken(payment)) return;
  util::ensure(!payment->outputs.empty(), "nobody is paid");
  for (const auto& output : payment->outputs) util::ensure(chain::is_money(output.amount), "more than there is");
  util::ensure(payment->fee_rate.value_or(1) > 0 && payment->fee_rate.value_or(1) < 10'000'000'000, "a rate beyond");
}

void check_query(std::string_view text) {
  const auto cut = text.find('=');
  const serve::Query query{
      {std::string(text.substr(0, cut)), std::string(cut == std::string_view::npos ? "" : text.substr(cut + 1))}};
  const auto page = serve::parse_page_query(query);
  if (is_taken(page)) util::ensure(page->limit >= 1 && page->limit <= report::kMaxPageSize, "a page beyond");
}

}  // namespace

SPV_FUZZ_TARGET(json_body, input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto body = serve::parse_body(text);
  if (is_taken(body) && is_finite(*body)) {
    util::ensure(serve::parse_body(boost::json::serialize(*body)).has_value(), "what it says is not taken again");
  }
  check_wallet(text);
  check_payment(text);
  check_query(text);
  is_taken(serve::parse_new_address(text));
  is_taken(serve::parse_label(text));
  const auto rescan = serve::parse_rescan(text);
  if (is_taken(rescan)) util::ensure(rescan->from >= 0, "a height below the first");
  is_taken(serve::parse_broadcast(text));
}
