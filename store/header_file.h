// HeaderFile: the best chain's headers in one flat file, shared by all wallets and processes of a network.
//
//   0     magic, format, network, base height, base work, base hash, checksum      written once
//   512   slot 0 ┐ sequence, record count, tip hash, tip work, checksum            written in turn; the valid one
//   1024  slot 1 ┘                                                                 with the higher sequence counts
//   4096  records of 80 bytes from the base up; what lies beyond the count is garbage
//
// The hash of a block is its successor's `previous` field, so the file is its own index and opening it costs the
// same at any length: only the newest records, those that the next header's rules look at, are hashed.
//
// Crashes. Records are synced before the slot that counts them is written. A reorganisation first commits the fork
// as the tip, and only then overwrites what was above it. So a crash leaves an older state, never a mixture.
// Headers can be fetched again: slots are not synced themselves, and in a long download are written every 20,000.
//
// Damage. Every record read is hashed and compared with its successor. A record near the tip that does not fit is
// found at opening, and the longest prefix that links and has its proof of work is kept. One further down is found
// when it is read: that throws, and the next opening mends the file the same way.
//
// Processes. The first opener writes. A later one sees what was committed then; it holds the newest records and
// its own new ones in memory, and writes nothing. A file that starts anew from a lower base takes the old one's name
// when it is complete: whoever reads the old one goes on reading it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "chain/header_store.h"
#include "chain/params.h"
#include "chain/uint256.h"
#include "store/mapped_file.h"

namespace spv::store {

/// The trusted header with which a file begins: genesis, or a checkpoint at the start of a difficulty period.
struct HeaderBase {
  chain::Height height = 0;
  chain::BlockHeader header;
  /// Of all blocks up to and with this one.
  chain::Uint256 work;

  static HeaderBase genesis(const chain::NetworkParams& params);
  static HeaderBase at(const chain::StartPoint& point) { return {point.height, point.header, point.work}; }
};

/// Thrown by a reader if the writer has replaced what it reads; to open the file again helps.
class HeadersChanged : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Environment errors (disk full, no permission) and damage are thrown, with one line that says what and where.
class HeaderFile final : public chain::HeaderStore {
 public:
  /// Opens or makes the file, and its directory with mode 0700. A file that begins at or below `base` is used as it
  /// is; one that begins above it starts anew from `base`. Throws if the file is of another network.
  static std::unique_ptr<HeaderFile> open(const std::string& path, const chain::NetworkParams& params,
                                          const HeaderBase& base);
  static std::unique_ptr<HeaderFile> open(const std::string& path, const chain::NetworkParams& params) {
    return open(path, params, HeaderBase::genesis(params));
  }
  /// Opens a file that is there as it is, whatever it begins with, without becoming the writer: for a look at it.
  static std::unique_ptr<HeaderFile> open_to_read(const std::string& path, const chain::NetworkParams& params);
  /// Commits what is left, as flush() does, but does not throw.
  ~HeaderFile() override;

  [[nodiscard]] chain::Height base_height() const override { return base_height_; }
  [[nodiscard]] chain::Height tip_height() const override;
  /// Throws if the record is damaged.
  [[nodiscard]] chain::BlockHeader at(chain::Height height) const override;
  /// Throws if the record is damaged.
  [[nodiscard]] chain::BlockHash hash_at(chain::Height height) const override;
  [[nodiscard]] std::optional<chain::Height> find(const chain::BlockHash& hash) const override;
  [[nodiscard]] chain::Uint256 tip_work() const override { return tip_work_; }
  void replace_above(chain::Height fork, std::span<const chain::BlockHeader> headers, const chain::BlockHash& tip_hash,
                     const chain::Uint256& tip_work) override;

  /// Commits all that was added.
  void flush();
  /// False if another process holds the file: new headers are then kept in memory only.
  [[nodiscard]] bool is_writer() const { return writer_; }
  /// True if opening found damage and kept a lower tip, or nothing.
  [[nodiscard]] bool was_mended() const { return mended_; }

 private:
  struct Slot {
    std::uint64_t sequence = 0;
    std::uint64_t count = 0;
    chain::BlockHash tip_hash;
    chain::Uint256 tip_work;
  };

  enum class Access { Write, Read };
  HeaderFile(const std::string& path, const chain::NetworkParams& params, Access access);
  void load(const HeaderBase& base, Access access);
  [[nodiscard]] bool read_preamble();
  void start_anew(const HeaderBase& base);
  [[nodiscard]] std::optional<Slot> newest_slot() const;
  [[nodiscard]] std::optional<Slot> read_slot(std::uint64_t offset) const;
  /// The newest records, if they are what the slot says.
  [[nodiscard]] std::optional<std::vector<chain::BlockHeader>> sound_tail(const Slot& slot) const;
  [[nodiscard]] Slot longest_sound_prefix() const;
  void hold(std::optional<std::vector<chain::BlockHeader>> tail);

  [[nodiscard]] chain::BlockHeader record(std::uint64_t index) const;
  [[nodiscard]] chain::BlockHash link(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t count() const { return file_count_ + overlay_.size(); }
  [[nodiscard]] std::uint64_t index_of(chain::Height height) const;
  [[noreturn]] void report_damage(std::uint64_t index) const;
  void forget_slots() const;
  void truncate_to(std::uint64_t count);
  void commit();

  const chain::NetworkParams& params_;
  mutable MappedFile file_;  // reading may move the map
  bool writer_ = false;
  bool mended_ = false;
  mutable bool damaged_ = false;
  chain::Height base_height_ = 0;
  chain::BlockHash base_hash_;
  chain::Uint256 base_work_;
  std::uint64_t sequence_ = 0;
  std::uint64_t file_count_ = 0;  // records that are in the file
  std::uint64_t uncommitted_ = 0;
  std::vector<chain::BlockHeader> overlay_;  // records above those; of a reader only
  chain::BlockHash tip_hash_;
  chain::Uint256 tip_work_;
};

}  // namespace spv::store
