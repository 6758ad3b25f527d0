// The address book on disk: DATADIR/NETWORK/peers.dat, one checksummed file of mode 0600, replaced as a whole. Nothing
// in it is precious: a damaged one is told and begun anew.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "p2p/address_book.h"
#include "store/file_lock.h"

namespace spv::store {

class AddressBookFile {
 public:
  /// Look: nothing is made or locked, so that a folder without the right to write will do.
  enum class Use { Change, Look };

  /// Reads the file if it is there. The first opener may write; a later one sees what was there and keeps its own
  /// changes to itself.
  AddressBookFile(const std::filesystem::path& path, const std::array<std::uint8_t, 4>& magic, Use use = Use::Change);

  p2p::AddressBook book;
  /// True if save() writes.
  [[nodiscard]] bool writable() const { return lock_.has_value(); }
  /// Why an old file was not used; empty if it was, or there was none.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  /// Replaces the file; throws StoreError.
  void save() const;

 private:
  std::filesystem::path path_;
  std::array<std::uint8_t, 4> magic_;
  std::optional<FileLock> lock_;
  std::string trouble_;
};

}  // namespace spv::store
