#include "serve/api/wallet_answers.h"

#include <boost/json.hpp>

#include "report/addresses.h"
#include "report/coins.h"
#include "report/history.h"
#include "report/label_book.h"
#include "report/label_text.h"
#include "report/paging.h"
#include "report/transaction.h"
#include "report/values.h"
#include "serve/api/answers.h"
#include "serve/api/new_wallet.h"
#include "serve/api/query.h"
#include "serve/api/requests.h"
#include "serve/api/wallet_json.h"
#include "wallet/label.h"

namespace spv::serve {
namespace {

namespace json = boost::json;
using client::OpenWallet;

json::object balance_document(const client::WalletSummary& wallet, const client::ChainSummary& chain) {
  auto out = balance_json(wallet.balance);
  out["height"] = report::or_null(wallet.scanned_to);
  out["synced"] = client::is_synced(wallet, chain);
  return out;
}

/// {"<name>":[…],"next"}: the rows of a page.
template <typename Row>
json::object page_document(const char* name, const report::Page& page, Row row) {
  json::array rows;
  rows.reserve(page.rows.size());
  for (const std::size_t index : page.rows) rows.push_back(row(index));
  json::object out;
  out[name] = std::move(rows);
  out["next"] = report::or_null(page.next);
  return out;
}

Error no_such_transaction(const std::string& txid) {
  return {ErrorCode::NotFound, "no transaction in the wallet matches '" + txid + "'"};
}

Response answer(const Result<json::object>& document, unsigned status = 200) {
  return document ? json_response(*document, status) : to_response(document.error());
}

Response done(const Result<void>& result, Response response) {
  return result ? std::move(response) : to_response(result.error());
}

/// A list of a wallet, page by page: `read` gives it, `pages` cuts it, `row` shows one of it.
template <typename Read, typename Pages, typename Row>
Response list_of(client::Backend& backend, const Call& call, const char* name, Read read, Pages pages, Row row) {
  const auto request = parse_page_query(call.request.query);
  if (!request) return to_response(request.error());
  const auto labels = backend.labels(call.name());
  if (!labels) return to_response(labels.error());
  const report::LabelBook book(*labels);
  return answer(backend.look<json::object>(call.name(), [&](OpenWallet& open) -> Result<json::object> {
    const auto list = read(open);
    const auto page = pages(list, *request);
    if (!page) return Error{ErrorCode::InvalidArgument, page.error().message};
    return page_document(name, *page, [&](std::size_t index) { return row(list[index], open, book); });
  }));
}

}  // namespace

std::optional<Response> WalletAnswers::show_now(const std::string& name) const {
  const auto shown = backend_.board().find(name);
  if (!shown) return std::nullopt;
  return json_response(wallet_json(name, *shown, backend_.board().chain()));
}

std::optional<Response> WalletAnswers::balance_now(const std::string& name) const {
  const auto shown = backend_.board().find(name);
  if (!shown) return std::nullopt;
  return json_response(balance_document(*shown, backend_.board().chain()));
}

Response WalletAnswers::list(const Call& call) {
  const auto request = parse_page_query(call.request.query);
  if (!request) return to_response(request.error());
  const auto names = backend_.names();
  if (!names) return to_response(names.error());
  const auto page = report::page_of_names(*names, *request);
  if (!page) return error_response(400, "bad-request", page.error().message);
  std::vector<std::string> shown;
  for (const std::size_t index : page->rows) shown.push_back((*names)[index]);
  const auto summaries = backend_.summaries(shown);
  if (!summaries) return to_response(summaries.error());
  json::array rows;
  const auto chain = backend_.board().chain();
  for (const auto& [name, summary] : *summaries) rows.push_back(wallet_json(name, summary, chain));
  return json_response(json::object{{"wallets", std::move(rows)}, {"next", report::or_null(page->next)}});
}

Response WalletAnswers::create(const Call& call) {
  const auto request = parse_new_wallet(call.request.body);
  if (!request) return to_response(request.error());
  auto wallet = to_new_wallet(*request, backend_.params(), clock_().wall);
  if (!wallet) return to_response(wallet.error());
  const auto created = backend_.create(request->name, std::move(*wallet));
  if (!created) return to_response(created.error());
  const auto summary = backend_.summary(request->name);
  if (!summary) return to_response(summary.error());
  auto response = json_response(wallet_json(request->name, *summary, backend_.board().chain()), 201);
  response.headers.emplace_back("Location", "/v1/wallets/" + request->name);
  return response;
}

Response WalletAnswers::show(const Call& call) {
  const auto summary = backend_.summary(call.name());
  if (!summary) return to_response(summary.error());
  return json_response(wallet_json(call.name(), *summary, backend_.board().chain()));
}

Response WalletAnswers::balance(const Call& call) {
  const auto summary = backend_.summary(call.name());
  if (!summary) return to_response(summary.error());
  return json_response(balance_document(*summary, backend_.board().chain()));
}

Response WalletAnswers::remove(const Call& call) { return done(backend_.remove(call.name()), empty_response()); }

Response WalletAnswers::history(const Call& call) {
  return list_of(
      backend_, call, "transactions", [](OpenWallet& open) { return open.wallet.history(); }, report::page_of_history,
      [](const auto& entry, OpenWallet&, const report::LabelBook& book) {
        return report::history_row(entry, book, report::LabelForm::OrNull);
      });
}

Response WalletAnswers::coins(const Call& call) {
  return list_of(
      backend_, call, "utxos", [](OpenWallet& open) { return open.wallet.coins(); }, report::page_of_coins,
      [&](const auto& coin, OpenWallet& open, const report::LabelBook& book) {
        return report::coin_row(coin, open.wallet, backend_.params(), book);
      });
}

Response WalletAnswers::addresses(const Call& call) {
  return list_of(
      backend_, call, "addresses", [](OpenWallet& open) { return report::addresses_of(open.wallet); },
      report::page_of_addresses,
      [&](const auto& entry, OpenWallet& open, const report::LabelBook& book) {
        return report::address_row(entry, open.wallet, backend_.params(), book);
      });
}

Response WalletAnswers::new_address(const Call& call) {
  const auto request = parse_new_address(call.request.body);
  if (!request) return to_response(request.error());
  if (request->label) {
    if (const auto complaint = report::label_complaint(*request->label)) return to_response(BadRequest{*complaint});
  }
  const auto address = backend_.new_address(call.name(), request->change);
  if (!address) return to_response(address.error());
  if (request->label && !request->label->empty()) {
    const wallet::LabelChange change{
        .kind = wallet::LabelKind::Address, .ref = address->address, .text = request->label};
    if (const auto labelled = backend_.label(call.name(), change); !labelled) return to_response(labelled.error());
  }
  return json_response(json::object{{"address", address->address}, {"path", address->path}}, 201);
}

Response WalletAnswers::transaction(const Call& call) {
  const std::string& txid = call.places[1];
  const auto labels = backend_.labels(call.name());
  if (!labels) return to_response(labels.error());
  const report::LabelBook book(*labels);
  return answer(backend_.look<json::object>(call.name(), [&](OpenWallet& open) -> Result<json::object> {
    const auto id = util::parse_hash<chain::Txid>(txid);
    const auto* record = id ? open.wallet.find(*id) : nullptr;
    if (record == nullptr) return no_such_transaction(txid);
    return report::transaction_json(
        {open.wallet, *record, *open.wallet.entry(record->txid), backend_.params(), book.of_tx(record->txid)});
  }));
}

Response WalletAnswers::proof(const Call& call) {
  const auto proof = backend_.proof(call.name(), call.places[1]);
  if (!proof) return to_response(proof.error());
  return {.content_type = "text/plain; charset=utf-8", .body = *proof, .headers = {}};
}

Response WalletAnswers::label(const Call& call) {
  const auto request = parse_label(call.request.body);
  if (!request) return to_response(request.error());
  if (const auto complaint = report::label_complaint(request->label)) return to_response(BadRequest{*complaint});
  const auto reference = wallet::label_reference(request->kind, request->ref, backend_.params());
  if (!reference)
    return to_response(BadRequest{"ref is not a " + std::string(to_string(request->kind)) + " of this network"});
  return done(backend_.label(call.name(), {.kind = request->kind, .ref = *reference, .text = request->label}),
              empty_response());
}

Response WalletAnswers::rescan(const Call& call) {
  const auto request = parse_rescan(call.request.body);
  if (!request) return to_response(request.error());
  return done(backend_.rescan(call.name(), request->from), json_response(json::object{{"from", request->from}}, 202));
}

}  // namespace spv::serve
