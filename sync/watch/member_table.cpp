#include "sync/watch/member_table.h"

#include <algorithm>
#include <utility>

#include "util/ensure.h"

namespace spv::sync {
namespace {

constexpr std::size_t kFewestSlots = 64;

/// At most four of five are used.
std::size_t slots_for(std::size_t fingerprints) { return std::max(fingerprints + fingerprints / 4 + 1, kFewestSlots); }

}  // namespace

MemberTable::MemberTable() { resize(kFewestSlots); }

void MemberTable::reserve(std::size_t more) {
  if (slots_for(used_ + more) > slots_.size()) resize(slots_for(used_ + more));
}

// The high bits: a fingerprint is under a secret key, so nobody can crowd one place.
std::size_t MemberTable::home_of(Fingerprint fingerprint) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((Wide{fingerprint} * slots_.size()) >> 64U);
}

std::size_t MemberTable::slot_of(Fingerprint fingerprint) const {
  std::size_t slot = home_of(fingerprint);
  while (slots_[slot] != fingerprint && slots_[slot] != WatchSet::kNone) slot = next(slot);
  return slot;
}

void MemberTable::add(Fingerprint fingerprint, MemberId member) {
  util::ensure(fingerprint != WatchSet::kNone && member != kSeveral, "a fingerprint and a wallet that can be");
  if (slots_for(used_ + 1) > slots_.size()) resize(slots_for(used_ + used_ / 2));
  const std::size_t slot = slot_of(fingerprint);
  if (slots_[slot] == fingerprint) return add_to_list(slot, member);
  slots_[slot] = fingerprint;
  members_[slot] = member;
  ++used_;
  ++size_;
}

void MemberTable::add_to_list(std::size_t slot, MemberId member) {
  if (members_[slot] == member) return;
  auto& list = lists_[slots_[slot]];
  if (list.empty()) list.push_back(std::exchange(members_[slot], kSeveral));
  const auto place = std::lower_bound(list.begin(), list.end(), member);
  if (place != list.end() && *place == member) return;
  list.insert(place, member);
  ++size_;
}

void MemberTable::remove(Fingerprint fingerprint, MemberId member) {
  const std::size_t slot = slot_of(fingerprint);
  if (slots_[slot] == WatchSet::kNone) return;
  if (members_[slot] == kSeveral) return remove_from_list(slot, member);
  if (members_[slot] != member) return;
  free_slot(slot);
  --used_;
  --size_;
  if (slots_.size() > slots_for(4 * used_)) resize(slots_for(used_ + used_ / 2));
}

void MemberTable::remove_from_list(std::size_t slot, MemberId member) {
  const auto found = lists_.find(slots_[slot]);
  auto& list = found->second;
  const auto place = std::lower_bound(list.begin(), list.end(), member);
  if (place == list.end() || *place != member) return;
  list.erase(place);
  --size_;
  if (list.size() > 1) return;
  members_[slot] = list.front();
  lists_.erase(found);
}

// What comes behind moves up if it may stand there, so that no search ends too early.
void MemberTable::free_slot(std::size_t slot) {
  const auto distance = [this](std::size_t from, std::size_t to) {
    return to >= from ? to - from : to + slots_.size() - from;
  };
  for (std::size_t other = next(slot); slots_[other] != WatchSet::kNone; other = next(other)) {
    if (distance(home_of(slots_[other]), other) < distance(slot, other)) continue;
    slots_[slot] = slots_[other];
    members_[slot] = members_[other];
    slot = other;
  }
  slots_[slot] = WatchSet::kNone;
}

void MemberTable::collect(Fingerprint fingerprint, std::vector<MemberId>& out) const {
  const std::size_t slot = slot_of(fingerprint);
  if (slots_[slot] == WatchSet::kNone) return;
  if (members_[slot] != kSeveral) return out.push_back(members_[slot]);
  const auto& list = lists_.at(fingerprint);
  out.insert(out.end(), list.begin(), list.end());
}

void MemberTable::resize(std::size_t slots) {
  const auto fingerprints = std::exchange(slots_, std::vector<Fingerprint>(slots, WatchSet::kNone));
  const auto members = std::exchange(members_, std::vector<MemberId>(slots));
  for (std::size_t from = 0; from < fingerprints.size(); ++from) {
    if (fingerprints[from] == WatchSet::kNone) continue;
    const std::size_t slot = slot_of(fingerprints[from]);
    slots_[slot] = fingerprints[from];
    members_[slot] = members[from];
  }
}

}  // namespace spv::sync
