#include "serve/live/event_streams.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "serve/live/event_answers.h"

namespace spv::serve {
namespace {

constexpr std::size_t kPageEvents = 100;

std::string resume_with(store::Seq position) { return "; resume with Last-Event-ID " + std::to_string(position); }

Chunk too_slow(store::Seq position) { return comment("cut off: the client reads too slowly" + resume_with(position)); }

std::string frames_of(const std::vector<const RenderedEvent*>& events) {
  std::string text;
  for (const auto* each : events) text += *each->frame;
  return text;
}

std::string frames_of(const std::vector<RenderedEvent>& events) {
  std::string text;
  for (const auto& each : events) text += *each.frame;
  return text;
}

}  // namespace

EventStreams::EventStreams(boost::asio::io_context& io, const EventRing& ring, PageReader& reader,
                           const Options& options)
    : ring_(ring),
      reader_(reader),
      options_(options),
      mailbox_(std::make_shared<Mailbox>(io)),
      comments_(io),
      retries_(io),
      sweep_(io, [this](ClientId from) { return visit(from); }),
      comment_sweep_(io, [this](ClientId from) { return send_comment(from); }) {}

void EventStreams::open(store::Seq after, std::optional<std::string> wallet, Reply reply, const EventPage* first) {
  const ClientId id = ++last_id_;
  auto stream = reply.stream(stream_head());
  stream->on_overflow(
      [after](std::uint64_t position) { return too_slow(position == 0 ? after : static_cast<store::Seq>(position)); });
  stream->on_closed([mailbox = mailbox_, weak = weak_from_this(), id] {
    mailbox->post([weak, id] {
      if (const auto self = weak.lock()) self->forget(id);
    });
  });
  stream->on_drained([mailbox = mailbox_, weak = weak_from_this(), id] {
    mailbox->post([weak, id] {
      if (const auto self = weak.lock()) self->go_on(id);
    });
  });
  auto& client = clients_[id];
  client = {.stream = std::move(stream), .wallet = std::move(wallet), .position = after};
  count_ = clients_.size();
  comment_later();
  if (first == nullptr) return pump(id);
  client.position = first->next;
  write_page(id, client, frames_of(first->events));
}

void EventStreams::forget(ClientId id) {
  clients_.erase(id);
  count_ = clients_.size();
}

void EventStreams::close_all(std::string_view why) {
  // What waits on the loop keeps it from coming to its end.
  comments_.cancel();
  retries_.cancel();
  commenting_ = false;
  retrying_ = false;
  count_ = 0;
  for (const auto& [id, client] : std::exchange(clients_, {})) {
    client.stream->close(comment(std::string(why) + resume_with(client.position)));
  }
}

ClientId EventStreams::visit(ClientId from) {
  const auto client = clients_.lower_bound(from);
  if (client == clients_.end()) return 0;
  const ClientId id = client->first;
  pump(id);
  return id;
}

ClientId EventStreams::send_comment(ClientId from) {
  static const Chunk kAlive = comment("waiting for events");
  const auto client = clients_.lower_bound(from);
  if (client == clients_.end()) return 0;
  const ClientId id = client->first;
  if (is_stuck(client->second)) {
    client->second.stream->close(too_slow(client->second.position));
    forget(id);
  } else {
    write(id, client->second, kAlive);
  }
  return id;
}

// One that gets events as they come is cut off by the limit of its stream; this is for those that take page after page.
bool EventStreams::is_stuck(const Client& client) const {
  return client.step == Step::Sending && std::chrono::steady_clock::now() - client.sending_since >= options_.patience;
}

void EventStreams::pump(ClientId id) {
  const auto found = clients_.find(id);
  if (found == clients_.end() || found->second.step != Step::Ready) return;
  if (ring_.covers(found->second.position)) {
    write_from_ring(id, found->second);
  } else {
    fetch(id, found->second);
  }
}

void EventStreams::write_from_ring(ClientId id, Client& client) {
  std::vector<const RenderedEvent*> events;
  std::size_t bytes = 0;
  auto each = ring_.above(client.position);
  for (; each != ring_.end() && bytes < options_.page_bytes; ++each) {
    if (!matches(*each, client.wallet)) continue;
    events.push_back(&*each);
    bytes += each->frame->size();
  }
  const store::Seq from = client.position;
  const bool is_all = each == ring_.end();
  client.position = is_all ? std::max(from, ring_.newest()) : std::prev(each)->seq;
  if (!is_all) return write_page(id, client, frames_of(events));
  if (!events.empty()) write(id, client, joined(client, from, events));
}

void EventStreams::fetch(ClientId id, Client& client) {
  client.step = Step::Reading;
  PageQuery query{.after = client.position, .wallet = client.wallet, .limit = kPageEvents};
  reader_.read(std::move(query), [weak = weak_from_this(), id](const PageResult& result) {
    if (const auto self = weak.lock()) self->take_page(id, result);
  });
}

void EventStreams::take_page(ClientId id, const PageResult& result) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  auto& client = found->second;
  client.step = Step::Ready;
  if (!result) return retry_later();
  if (result->gone) {
    client.stream->close(comment("events after " + std::to_string(client.position) + " are no longer kept"));
    return forget(id);
  }
  client.position = result->next;
  write_page(id, client, frames_of(result->events));
}

void EventStreams::write_page(ClientId id, Client& client, std::string text) {
  client.step = text.empty() ? Step::Ready : Step::Sending;
  if (text.empty()) return pump(id);
  client.sending_since = std::chrono::steady_clock::now();
  write(id, client, std::make_shared<const std::string>(std::move(text)));
}

void EventStreams::write(ClientId id, Client& client, Chunk chunk) {
  const auto position = static_cast<std::uint64_t>(client.position);
  if (!client.stream->write(std::move(chunk), position)) forget(id);
}

Chunk EventStreams::joined(const Client& client, store::Seq from, const std::vector<const RenderedEvent*>& events) {
  if (events.size() == 1) return events.front()->frame;
  if (client.wallet) return std::make_shared<const std::string>(frames_of(events));
  if (!joined_.chunk || joined_.from != from || joined_.to != client.position) {
    joined_ = {.from = from, .to = client.position, .chunk = std::make_shared<const std::string>(frames_of(events))};
  }
  return joined_.chunk;
}

void EventStreams::go_on(ClientId id) {
  const auto client = clients_.find(id);
  if (client == clients_.end() || client->second.step != Step::Sending || client->second.stream->waiting() > 0) return;
  client->second.step = Step::Ready;
  pump(id);
}

void EventStreams::retry_later() {
  if (std::exchange(retrying_, true)) return;
  retries_.expires_after(options_.retry_after);
  retries_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->retrying_ = false;
    self->wake();
  });
}

void EventStreams::comment_later() {
  if (std::exchange(commenting_, true)) return;
  comments_.expires_after(options_.comment_every);
  comments_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->commenting_ = false;
    if (self->clients_.empty()) return;
    self->comment_sweep_.start();
    self->comment_later();
  });
}

}  // namespace spv::serve
