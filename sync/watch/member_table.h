// MemberTable: which wallets a fingerprint stands for, in one flat table of 15 to 23 bytes an entry. Nearly every
// fingerprint stands for one wallet; those of several, such as an input of a payment to thousands, have a list.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sync/types/types.h"
#include "sync/watch/watch_set.h"

namespace spv::sync {

class MemberTable {
 public:
  using Fingerprint = WatchSet::Fingerprint;

  MemberTable();
  /// Makes room for so many fingerprints more.
  void reserve(std::size_t more);
  /// Once for each wallet, however often it is called. The fingerprint is not that of nothing.
  void add(Fingerprint fingerprint, MemberId member);
  void remove(Fingerprint fingerprint, MemberId member);
  /// Appends the wallets.
  void collect(Fingerprint fingerprint, std::vector<MemberId>& out) const;
  /// How many pairs of fingerprint and wallet.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  /// Of a fingerprint that has a list.
  static constexpr MemberId kSeveral = 0xFFFF'FFFF;

  [[nodiscard]] std::size_t home_of(Fingerprint fingerprint) const;
  [[nodiscard]] std::size_t next(std::size_t slot) const { return slot + 1 < slots_.size() ? slot + 1 : 0; }
  /// Where it is, or the free slot where it would be.
  [[nodiscard]] std::size_t slot_of(Fingerprint fingerprint) const;
  void add_to_list(std::size_t slot, MemberId member);
  void remove_from_list(std::size_t slot, MemberId member);
  void free_slot(std::size_t slot);
  void resize(std::size_t slots);

  // Two lists, since a pair would take 16 bytes. The first is what is searched.
  std::vector<Fingerprint> slots_;                                // WatchSet::kNone: free
  std::vector<MemberId> members_;                                 // of the same slot
  std::unordered_map<Fingerprint, std::vector<MemberId>> lists_;  // ascending, two at least
  std::size_t used_ = 0;                                          // slots
  std::size_t size_ = 0;
};

}  // namespace spv::sync
