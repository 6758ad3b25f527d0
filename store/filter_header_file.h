// FilterHeaderFile: the filter headers of the best chain's blocks (BIP157) in one flat file beside the header file.
//
//   0     magic, format, network, base height, base hash, checksum                  written once
//   512   slot 0 ┐ sequence, record count, seal, block hashes, checksum             written in turn; the valid one
//   1024  slot 1 ┘                                                                  with the higher sequence counts
//   4096  pages of 4096 bytes: 127 records of 32 bytes from the base up, and the page's seal
//
// A filter header does not show that it is right, so pages are sealed: a seal is the hash of the page before's seal and
// of the page's records. That of the last page, full or not, stands in the slot. A page is checked when it is first
// read, the last one at opening.
//
// Which chain they belong to is said by the hashes of some blocks at and below the tip, in the slot. At opening what
// lies above the highest of them that the header store has is dropped: after a crash one file may be ahead of the
// other, or on another branch.
//
// Crashes. As in the header file (header_file.h): records are synced before the slot that counts them is written, and a
// reorganisation first commits the fork. So a crash leaves an older state, never a mixture. Everything can be fetched
// again: a file that is damaged starts anew.
//
// Processes. The first opener writes. A later one sees what was committed then; it holds the newest records and its own
// new ones in memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bip158/filter_header_store.h"
#include "chain/header_store.h"
#include "chain/params.h"
#include "store/mapped_file.h"

namespace spv::store {

/// Environment errors (disk full, no permission) and damage are thrown, with one line that says what and where.
class FilterHeaderFile final : public bip158::FilterHeaderStore {
 public:
  /// Opens or makes the file, which begins where `headers` do, and its directory with mode 0700. `headers` outlive it
  /// and have every block whose filter header is put in. Throws if the file is of another network.
  static std::unique_ptr<FilterHeaderFile> open(const std::string& path, const chain::NetworkParams& params,
                                                const chain::HeaderStore& headers);
  /// Commits what is left, as flush() does, but does not throw.
  ~FilterHeaderFile() override;

  [[nodiscard]] chain::Height base_height() const override { return base_height_; }
  [[nodiscard]] chain::Height tip_height() const override;
  /// Throws if the record is damaged.
  [[nodiscard]] util::FilterHeader at(chain::Height height) const override;
  void replace_above(chain::Height fork, std::span<const util::FilterHeader> headers) override;

  /// Commits all that was added.
  void flush();
  /// False if another process holds the file: new filter headers are then kept in memory only.
  [[nodiscard]] bool is_writer() const { return writer_; }
  /// True if opening found damage and dropped everything.
  [[nodiscard]] bool was_mended() const { return mended_; }

 private:
  static constexpr std::array<chain::Height, 7> kDepths{0, 6, 36, 144, 1'008, 4'032, 24'192};
  struct Slot {
    std::uint64_t sequence = 0;
    std::uint64_t count = 0;
    util::Hash256 seal;                                   // of the last page
    std::array<chain::BlockHash, kDepths.size()> blocks;  // so far below the tip; zero where there is none
  };

  FilterHeaderFile(const std::string& path, const chain::NetworkParams& params, const chain::HeaderStore& headers);
  void load();
  [[nodiscard]] bool read_preamble();
  void start_anew();
  [[nodiscard]] std::optional<Slot> newest_sound_slot() const;
  [[nodiscard]] std::optional<Slot> read_slot(std::uint64_t offset) const;
  /// How many records belong to blocks that the header store has.
  [[nodiscard]] std::uint64_t count_on_chain(const Slot& slot) const;
  void hold(const util::Hash256& seal);

  [[nodiscard]] util::Hash256 seal_of(std::uint64_t count) const;
  [[nodiscard]] util::FilterHeader record(std::uint64_t index) const;
  void check_page(std::uint64_t page) const;
  [[nodiscard]] std::uint64_t count() const { return file_count_ + overlay_.size(); }
  void append(std::span<const util::FilterHeader> headers);
  void truncate_to(std::uint64_t wanted);
  void commit();

  const chain::NetworkParams& params_;
  const chain::HeaderStore& headers_;
  mutable MappedFile file_;  // reading may move the map
  bool writer_ = false;
  bool mended_ = false;
  mutable bool damaged_ = false;
  chain::Height base_height_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t file_count_ = 0;  // records that are in the file
  std::uint64_t uncommitted_ = 0;
  std::vector<util::FilterHeader> overlay_;  // records above those; of a reader only
  mutable std::vector<bool> checked_;        // pages
};

}  // namespace spv::store
