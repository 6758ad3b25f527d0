// PeerBook: the address book of a network while peers are found by it. Saved now and then, because what is learned of
// peers is not precious, and at the end.
#pragma once

#include <filesystem>

#include "chain/params.h"
#include "store/address_book_file.h"
#include "util/log.h"
#include "util/time.h"

namespace spv::client {

class PeerBook {
 public:
  /// How often a program that runs for days saves it.
  static constexpr util::Duration kInterval = std::chrono::minutes(5);

  /// Opens the file; the log hears if it is damaged, or if another process writes it. `log` may be empty.
  PeerBook(const std::filesystem::path& path, const chain::NetworkParams& params, const util::LogSink& log,
           util::TimePoint now);

  [[nodiscard]] p2p::AddressBook& book() { return file_.book; }
  /// Throws StoreError, as does save_if_due().
  void save() const { file_.save(); }
  /// Saves it if the last time is long ago.
  void save_if_due(util::TimePoint now);

 private:
  store::AddressBookFile file_;
  util::TimePoint saved_;
};

}  // namespace spv::client
