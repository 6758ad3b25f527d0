// FaultVfs: a disk for SQLite that can be watched, fails when told, and loses what was not synced when the power goes.
// It is SQLite's default while it lives, and passes everything on to the real one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "util/bytes.h"
#include "util/rng.h"

namespace spv::test {

enum class DiskFault { IoError, Full };

class FaultVfs {
 public:
  FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs();

  /// Reads, writes, truncations, syncs and deletions so far.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  /// Is called before every write, truncation, sync and deletion: the files are as a kill at this instant leaves them.
  void watch(std::function<void()> watch) { watch_ = std::move(watch); }
  /// The call of this number fails (a full disk: the first write from there), and if `lasting` all that follow.
  void fail_at(std::uint64_t call, DiskFault fault, bool lasting);
  /// Nothing fails any more.
  void heal() { fail_at_ = 0; }
  /// Whether the fault has come.
  [[nodiscard]] bool has_failed() const { return failed_; }
  /// Writes the files of one folder into another as a power failure now may leave them: what was synced, and of each
  /// later write all, nothing, or some of its sectors. Shared memory is gone.
  void write_power_loss_image(const std::filesystem::path& from, const std::filesystem::path& to, std::size_t sector,
                              util::Rng& rng) const;

  // For the functions that SQLite calls.
  enum class Call { Read, Write, Other };
  /// Counts a call; SQLITE_OK, or what it fails with.
  int begin(Call call);
  void note_open(const std::string& path);
  void note_write(const std::string& path, std::uint64_t offset, util::ByteView data);
  void note_truncate(const std::string& path, std::uint64_t size);
  void note_sync(const std::string& path);
  void note_delete(const std::string& path);

 private:
  struct Pending {
    bool truncate = false;
    std::uint64_t offset = 0;  // or the new size
    util::Bytes data;
  };
  struct File {
    util::Bytes durable;
    std::vector<Pending> pending;
  };
  static void apply(util::Bytes& content, const Pending& change);
  static void apply_torn(util::Bytes& content, const Pending& change, std::size_t sector, util::Rng& rng);

  struct Registration;
  std::unique_ptr<Registration> registration_;
  std::function<void()> watch_;
  std::uint64_t calls_ = 0;
  std::uint64_t fail_at_ = 0;
  DiskFault fault_ = DiskFault::IoError;
  bool lasting_ = false;
  bool failed_ = false;
  std::map<std::string, File> files_;
};

}  // namespace spv::test
