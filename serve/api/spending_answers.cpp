#include "serve/api/spending_answers.h"

#include <utility>

#include <boost/json.hpp>

#include "client/payment_plan.h"
#include "client/spending_values.h"
#include "report/label_book.h"
#include "report/payment.h"
#include "serve/api/answers.h"
#include "serve/api/requests.h"
#include "wallet/spend/psbt_roles.h"

namespace spv::serve {
namespace {

namespace json = boost::json;

PaymentOptions to_options(const PsbtRequest& request) {
  PaymentOptions out;
  for (const auto& output : request.outputs) out.recipients.push_back({output.address, output.amount});
  out.fee_rate = request.fee_rate.value_or(0);
  out.subtract_fee = request.subtract_fee;
  for (const auto& coin : request.coins) out.coins.push_back(report::to_text(coin));
  return out;
}

}  // namespace

Response SpendingAnswers::make_psbt(const Call& call) {
  const auto request = parse_psbt_request(call.request.body);
  if (!request) return to_response(request.error());
  const auto options = to_options(*request);
  const auto fees = backend_.fees();
  const auto rate = client::to_rate(options.fee_rate, fees ? &fees->known : nullptr, backend_.params());
  if (!rate) return to_response(rate.error());
  const auto document = backend_.look<json::object>(call.name(), [&](client::OpenWallet& open) -> Result<json::object> {
    const auto moment = client::moment_of(open.wallet, fees ? &fees->known : nullptr, clock_().wall);
    const auto plan = client::plan_payment(open.wallet, options, *rate, moment, backend_.params());
    if (!plan) return plan.error();
    const auto psbt = wallet::spend::create_psbt(plan->draft, 0);
    if (!psbt) return client::to_error(psbt.error());
    return report::draft_json({plan->draft, open.wallet, backend_.params()}, to_base64(*psbt));
  });
  return document ? json_response(*document) : to_response(document.error());
}

std::optional<std::string> SpendingAnswers::payer_elsewhere(const Call& call) {
  const auto request = parse_broadcast(call.request.body);
  const auto tx = request ? client::read_transaction(request->text) : Result<chain::Transaction>(Error{});
  if (!tx) return std::nullopt;
  std::vector<chain::OutPoint> spent;
  for (const auto& input : tx->inputs) spent.push_back(input.previous);
  for (const auto& name : backend_.store().owners_of(spent)) {
    if (!backend_.board().find(name)) return name;
  }
  return std::nullopt;
}

void SpendingAnswers::broadcast(const Call& call, Reply reply, util::TimePoint now) {
  const auto request = parse_broadcast(call.request.body);
  if (!request) return reply.send(to_response(request.error()));
  const auto tx = client::read_transaction(request->text);
  if (!tx) return reply.send(to_response(tx.error()));
  const auto txid = util::to_string(tx->txid());
  const auto number = broadcasts_.expect(txid, std::move(reply), now);
  const auto sent = client_.broadcast(request->text);
  if (sent) return;
  if (auto back = broadcasts_.cancel(txid, number)) back->send(to_response(sent.error()));
}

}  // namespace spv::serve
