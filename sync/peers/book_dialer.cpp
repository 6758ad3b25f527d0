#include "sync/peers/book_dialer.h"

#include <algorithm>
#include <utility>

namespace spv::sync {
namespace {

/// An address that nobody has seen for so long is not worth a place in the book.
constexpr std::int64_t kStaleSeconds = 2'592'000;
constexpr util::Duration kFirstPause = std::chrono::seconds(1);
constexpr std::string_view kFixedSource = "fixed list";

std::optional<p2p::NetAddress> literal(const PeerAddress& address) {
  return p2p::parse_net_address(address.host, address.port);
}

}  // namespace

std::size_t AddressAllowance::take(std::size_t sent, util::TimePoint now) {
  if (!refilled_) refilled_ = now;
  const auto earned = static_cast<std::size_t>((now - *refilled_) / kPause);
  *refilled_ += kPause * static_cast<util::Duration::rep>(earned);
  left_ = std::min(left_ + earned, kBurst);
  const std::size_t taken = std::min(sent, left_);
  left_ -= taken;
  return taken;
}

std::vector<PeerAddress> BookDialer::choose(const std::vector<PeerAddress>& in_use, std::size_t ready, util::Now now,
                                            util::Rng& rng, Outbox& out) {
  std::vector<PeerAddress> chosen;
  if (ready >= use_.wanted) {
    next_dial_.reset();
    return chosen;
  }
  if (next_dial_ && now.monotonic < *next_dial_) return chosen;
  next_dial_ = now.monotonic + kFirstPause;  // unless something happens before
  const std::size_t due = use_.book->due(use_.reach, now.wall);
  if (due < kFewAddresses) search(now, out);
  if (due == 0 && names_.empty() && in_use.empty() && !searching_) take_fixed(now, rng);
  std::set<p2p::NetAddress> used;
  for (const auto& address : in_use) {
    if (const auto known = literal(address)) used.insert(*known);
  }
  const std::size_t room = std::min(2 * (use_.wanted - ready), kMaxDialling);
  starved_ = false;
  for (std::size_t dialling = in_use.size() - ready; dialling < room; ++dialling) {
    const auto address = next(used, now, rng);
    if (!address) {
      starved_ = true;
      break;
    }
    chosen.push_back(*address);
  }
  attempts_ += chosen.size();
  if (starved_) banned_ = use_.book->banned(now.wall);
  if (starved_ && !searching_) {
    const auto next_due = use_.book->next_due(use_.reach, now.wall);
    const auto longest = std::chrono::duration_cast<std::chrono::seconds>(kLongestPause);
    // What failed while nothing could be reached is due again at once; the rest waits for minutes.
    const auto wait = next_due ? std::chrono::seconds(*next_due - now.wall) : longest;
    starved_ = !next_due || wait > longest;
    next_dial_ = now.monotonic + std::clamp<util::Duration>(wait, kFirstPause, kLongestPause);
  }
  return chosen;
}

std::optional<PeerAddress> BookDialer::choose_stranger(const std::vector<PeerAddress>& in_use, util::Now now,
                                                       util::Rng& rng) const {
  std::set<p2p::NetAddress> used;
  for (const auto& address : in_use) {
    if (const auto known = literal(address)) used.insert(*known);
  }
  // One that answered but offers no filters is sure to be there, and to know nothing.
  std::vector<p2p::NetAddress> unfit;
  std::vector<p2p::NetAddress> untried;
  for (const auto& [address, entry] : use_.book->entries()) {
    const bool in_reach = use_.reach.onion || address.network != p2p::AddressNetwork::TorV3;
    if (entry.tried() || entry.banned(now.wall) || !in_reach || used.contains(address)) continue;
    if (entry.note == to_string(DisconnectReason::NoBloomFilters)) unfit.push_back(address);
    if (entry.last_try == 0) untried.push_back(address);
  }
  const auto& choice = unfit.empty() ? untried : unfit;
  if (choice.empty()) return std::nullopt;
  const auto& chosen = choice[rng.below(choice.size())];
  return PeerAddress{p2p::host_of(chosen), chosen.port};
}

std::optional<PeerAddress> BookDialer::next(std::set<p2p::NetAddress>& in_use, util::Now now, util::Rng& rng) {
  if (const auto picked = use_.book->pick(in_use, use_.reach, now.wall, rng)) {
    in_use.insert(*picked);
    use_.book->note_attempt(*picked, now.wall);
    return PeerAddress{p2p::host_of(*picked), picked->port};
  }
  if (names_.empty()) return std::nullopt;
  PeerAddress name = std::move(names_.front());
  names_.pop_front();
  return name;
}

void BookDialer::search(util::Now now, Outbox& out) {
  if (searching_ || (searched_at_ && now.monotonic < *searched_at_ + kSearchPause)) return;
  searching_ = true;
  searched_at_ = now.monotonic;
  out.find_peers();
}

void BookDialer::take_fixed(util::Now now, util::Rng& rng) {
  for (const auto& address : std::exchange(use_.fixed, {})) {
    const auto known = literal(address);
    const bool in_reach = known && (use_.reach.onion || known->network != p2p::AddressNetwork::TorV3);
    if (in_reach) use_.book->add(*known, 0, p2p::Origin::Seed, kFixedSource, now.wall, rng);
  }
}

void BookDialer::on_found(const PeersFound& found, util::Now now, util::Rng& rng) {
  for (const auto& address : found.addresses) {
    if (const auto known = literal(address)) {
      use_.book->add(*known, found.services, p2p::Origin::Seed, found.source, now.wall, rng);
    } else if (names_.size() < kFewAddresses) {
      names_.push_back(address);
    }
  }
  if (found.last) searching_ = false;
  next_dial_ = now.monotonic;  // somebody new may be there
}

void BookDialer::take(const PeerAddress& sender, const p2p::NetAddress& address, std::uint64_t services,
                      std::uint32_t seen, util::Now now, util::Rng& rng) {
  if (std::int64_t{seen} + kStaleSeconds < now.wall) return;
  const auto known = literal(sender);
  const std::string source = known ? p2p::group_of(*known) : sender.host;
  use_.book->add(address, services, p2p::Origin::Gossip, source, now.wall, rng);
}

void BookDialer::on(PeerId peer, const PeerAddress& sender, const p2p::Addr& message, util::Now now, util::Rng& rng) {
  const std::size_t allowed = allowances_[peer].take(message.addresses.size(), now.monotonic);
  for (std::size_t i = 0; i < allowed; ++i) {
    const auto& [time, address] = message.addresses[i];
    take(sender, p2p::to_net_address(address), address.services, time, now, rng);
  }
}

void BookDialer::on(PeerId peer, const PeerAddress& sender, const p2p::AddrV2& message, util::Now now, util::Rng& rng) {
  const std::size_t allowed = allowances_[peer].take(message.addresses.size(), now.monotonic);
  for (std::size_t i = 0; i < allowed; ++i) {
    const auto& entry = message.addresses[i];
    if (const auto address = p2p::to_net_address(entry)) take(sender, *address, entry.services, entry.time, now, rng);
  }
}

void BookDialer::on_ready(const PeerAddress& address, std::uint64_t services, util::Now now) {
  failures_ = 0;
  if (const auto known = literal(address)) use_.book->note_success(*known, services, now.wall);
}

void BookDialer::on_doubt(const PeerAddress& address, const std::string& why) {
  if (const auto known = literal(address)) use_.book->note_doubt(*known, why);
}

void BookDialer::on_lost(const PeerAddress& address, const std::string& error, std::optional<DisconnectReason> reason,
                         Circumstances circumstances, util::Now now, util::Rng& rng) {
  last_error_ = to_string(address) + ": " + error;
  const bool answered = reason && (is_misbehaviour(*reason) || is_unfit(*reason));
  next_dial_ = now.monotonic;
  if (!circumstances.others_reached && !answered && ++failures_ >= kMaxDialling) pause(now, rng);
  const auto known = literal(address);
  if (!known) return;
  if (reason && is_misbehaviour(*reason)) {
    use_.book->ban(*known, error, now.wall + p2p::AddressBook::kBanSeconds, now.wall);
  } else if (reason && is_unfit(*reason)) {
    use_.book->note_unfit(*known, error, now.wall);
  } else {
    // A good connection that broke says as little about the node as a machine that is offline.
    const bool counts = circumstances.others_reached && (!circumstances.served || reason);
    use_.book->note_failure(*known, error, counts, now.wall, rng);
  }
}

void BookDialer::pause(util::Now now, util::Rng& rng) {
  const auto longest = std::min(kFirstPause * static_cast<int>(failures_ / kMaxDialling), kLongestPause);
  const auto spread = static_cast<std::uint64_t>(longest.count() / 2);
  const auto wait = longest / 2 + util::Duration(static_cast<util::Duration::rep>(rng.below(spread + 1)));
  next_dial_ = now.monotonic + wait;
}

bool BookDialer::exhausted() const {
  if (persistent_ || searching_) return false;
  return starved_ || failures_ >= std::min(kMaxFailures, std::max(3 * use_.book->size(), 2 * kMaxDialling));
}

std::string BookDialer::errors() const {
  if (attempts_ == 0) return "no peer addresses are known";
  return std::to_string(attempts_) + (attempts_ == 1 ? " address" : " addresses") + " tried, the last one " +
         last_error_;
}

}  // namespace spv::sync
