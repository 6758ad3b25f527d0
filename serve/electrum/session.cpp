#include "serve/electrum/session.h"

#include <utility>

#include <boost/json.hpp>

#include "serve/electrum/methods.h"
#include "serve/electrum/outcome_json.h"

namespace spv::serve::electrum {
namespace {

namespace json = boost::json;

}  // namespace

void Session::feed(std::string_view bytes) {
  if (is_closing_ || lines_.add(bytes)) return;
  send(error_text("null",
                  {kInvalidRequest, "a line may have " + std::to_string(world_.limits.line_bytes) + " bytes at most"}));
  is_closing_ = true;
}

bool Session::step(util::TimePoint now) {
  if (is_closing_ || is_full()) return false;
  if (calls_.empty()) {
    const auto line = lines_.next();
    if (!line) return false;
    open_line(*line);
    return true;
  }
  Begun begun = std::move(calls_.front());
  calls_.pop_front();
  ++calls_seen_;
  if (!run(begun, false)) waiting_.push_back({std::move(begun), now});
  return true;
}

void Session::open_line(std::string_view line) {
  if (line.empty()) return;
  auto message = parse_message(line, world_.limits.batch_calls);
  if (!message) return send(error_text("null", message.error()));
  auto group = std::make_shared<Group>();
  group->is_batch = message->is_batch;
  group->open = message->calls.size();
  for (auto& each : message->calls) {
    if (each) {
      calls_.push_back({group, std::move(*each)});
    } else {
      answer_text(*group, error_text(each.error().id, each.error().error));
    }
  }
}

bool Session::run(Begun& begun, bool last_chance) {
  const auto* method = find_method(begun.call.method);
  if (method == nullptr) {
    answer(begun, util::Unexpected{RpcError{kMethodNotFound, "method not found"}});
    return true;
  }
  MethodContext context(*this);
  Arguments arguments(begun.call.params, method->arguments, method->name == "server.version");
  auto reaction = arguments.error() ? Reaction(*arguments.error()) : method->react(context, arguments);
  if (auto* answered = std::get_if<Answered>(&reaction)) {
    answer(begun, std::move(answered->result));
  } else if (const auto* error = std::get_if<RpcError>(&reaction)) {
    answer(begun, util::Unexpected{*error});
  } else if (auto* errand = std::get_if<Errand>(&reaction)) {
    orders_.emplace_back(ErrandOrder{next_ticket_, *errand});
    errands_.emplace(next_ticket_++, Ordered{std::move(begun), std::move(*errand)});
  } else {
    if (!last_chance) return false;
    answer(begun, util::Unexpected{std::get<NotYet>(reaction).error});
  }
  return true;
}

void Session::finish(Ticket ticket, const Outcome& outcome) {
  auto done = errands_.extract(ticket);
  if (done.empty()) return;
  const auto& [begun, errand] = done.mapped();
  answer(begun, outcome_json(errand, outcome, version_.value_or(kUnasked)));
}

void Session::look_again(util::TimePoint now) {
  for (auto& each : std::exchange(waiting_, {})) {
    const bool last_chance = now - each.since >= world_.limits.patience;
    if (!run(each.begun, last_chance)) waiting_.push_back(std::move(each));
  }
}

void Session::answer(const Begun& begun, const util::Expected<json::value, RpcError>& result) {
  Group& group = *begun.group;
  if (begun.call.is_notification) return close_one(group);
  auto text = result ? result_text(begun.call.id, *result) : error_text(begun.call.id, result.error());
  if (group.is_batch && group.bytes + text.size() > world_.limits.batch_bytes) {
    text = error_text(begun.call.id, {kCannot, "the answers of this batch are too large; ask for less at a time"});
  }
  answer_text(group, std::move(text));
}

void Session::answer_text(Group& group, std::string text) {
  if (group.is_batch) {
    group.bytes += text.size();
    group.answers.push_back(std::move(text));
  } else {
    send(text);
  }
  close_one(group);
}

void Session::close_one(Group& group) {
  if (--group.open == 0 && !group.answers.empty()) send(batch_text(group.answers));
}

void Session::tell_tip() {
  if (!wants_tips_ || !world_.tip) return;
  send(notification_text("blockchain.headers.subscribe", {tip_json(*world_.tip)}));
}

void Session::tell_scripts(std::span<const ScriptHash> scripts) {
  for (const auto& script : scripts) {
    const auto held = scripts_.find(script);
    if (held == scripts_.end()) continue;
    auto status = world_.books.status(script);
    if (status == held->second) continue;
    held->second = status;
    send(notification_text("blockchain.scripthash.subscribe", {util::to_string(script), status_json(status)}));
  }
}

}  // namespace spv::serve::electrum
