#include "tests/support/fault_vfs.h"

#include <algorithm>
#include <fstream>
#include <new>

#include <sqlite3.h>

#include "util/ensure.h"

namespace spv::test {
namespace {

// One instance at a time: SQLite's callbacks have no other way to it.
FaultVfs* current = nullptr;
sqlite3_vfs* real_vfs = nullptr;

/// What SQLite allocates for an open file; the real one lies behind it.
struct FaultFile {
  sqlite3_file base;
  std::string* path;  // null for temporary files
  [[nodiscard]] sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

FaultFile& of(sqlite3_file* file) { return *reinterpret_cast<FaultFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return of(file).real(); }
const sqlite3_io_methods& methods(sqlite3_file* file) { return *real(file)->pMethods; }

int close(sqlite3_file* file) {
  const int code = methods(file).xClose(real(file));
  delete of(file).path;
  of(file).path = nullptr;
  return code;
}
int read(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  const int fault = current->begin(FaultVfs::Call::Read);
  return fault != SQLITE_OK ? SQLITE_IOERR_READ : methods(file).xRead(real(file), out, size, offset);
}
int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
  const int fault = current->begin(FaultVfs::Call::Write);
  if (fault != SQLITE_OK) return fault == SQLITE_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  const int code = methods(file).xWrite(real(file), data, size, offset);
  if (code == SQLITE_OK && of(file).path != nullptr) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    current->note_write(*of(file).path, static_cast<std::uint64_t>(offset), {bytes, static_cast<std::size_t>(size)});
  }
  return code;
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (current->begin(FaultVfs::Call::Other) != SQLITE_OK) return SQLITE_IOERR_TRUNCATE;
  const int code = methods(file).xTruncate(real(file), size);
  if (code == SQLITE_OK && of(file).path != nullptr) {
    current->note_truncate(*of(file).path, static_cast<std::uint64_t>(size));
  }
  return code;
}
// What is durable is kept in memory: the real disk need not wait, and thousands of lives take seconds.
int sync(sqlite3_file* file, int) {
  if (current->begin(FaultVfs::Call::Other) != SQLITE_OK) return SQLITE_IOERR_FSYNC;
  if (of(file).path != nullptr) current->note_sync(*of(file).path);
  return SQLITE_OK;
}
int file_size(sqlite3_file* file, sqlite3_int64* out) { return methods(file).xFileSize(real(file), out); }
int lock(sqlite3_file* file, int level) { return methods(file).xLock(real(file), level); }
int unlock(sqlite3_file* file, int level) { return methods(file).xUnlock(real(file), level); }
int check_reserved(sqlite3_file* file, int* out) { return methods(file).xCheckReservedLock(real(file), out); }
int control(sqlite3_file* file, int op, void* argument) { return methods(file).xFileControl(real(file), op, argument); }
int sector_size(sqlite3_file* file) { return methods(file).xSectorSize(real(file)); }
// No promise of the real disk holds for this one.
int characteristics(sqlite3_file*) { return 0; }
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return methods(file).xShmMap(real(file), page, size, extend, out);
}
int shm_lock(sqlite3_file* file, int offset, int n, int flags) {
  return methods(file).xShmLock(real(file), offset, n, flags);
}
void shm_barrier(sqlite3_file* file) { methods(file).xShmBarrier(real(file)); }
int shm_unmap(sqlite3_file* file, int remove) { return methods(file).xShmUnmap(real(file), remove); }

sqlite3_io_methods make_methods() {
  sqlite3_io_methods out{};
  out.iVersion = 2;
  out.xClose = close;
  out.xRead = read;
  out.xWrite = write;
  out.xTruncate = truncate;
  out.xSync = sync;
  out.xFileSize = file_size;
  out.xLock = lock;
  out.xUnlock = unlock;
  out.xCheckReservedLock = check_reserved;
  out.xFileControl = control;
  out.xSectorSize = sector_size;
  out.xDeviceCharacteristics = characteristics;
  out.xShmMap = shm_map;
  out.xShmLock = shm_lock;
  out.xShmBarrier = shm_barrier;
  out.xShmUnmap = shm_unmap;
  return out;
}
const sqlite3_io_methods kMethods = make_methods();

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  FaultFile& ours = of(file);
  ours.base.pMethods = nullptr;
  ours.path = nullptr;
  const int code = real_vfs->xOpen(real_vfs, name, ours.real(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  ours.base.pMethods = &kMethods;
  if (name != nullptr) {
    ours.path = new std::string(name);
    current->note_open(name);
  }
  return code;
}

int remove(sqlite3_vfs*, const char* name, int sync_folder) {
  if (current->begin(FaultVfs::Call::Other) != SQLITE_OK) return SQLITE_IOERR_DELETE;
  const int code = real_vfs->xDelete(real_vfs, name, sync_folder);
  if (code == SQLITE_OK) current->note_delete(name);
  return code;
}

util::Bytes content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

struct FaultVfs::Registration {
  sqlite3_vfs vfs{};
};

FaultVfs::FaultVfs() : registration_(std::make_unique<Registration>()) {
  util::ensure(current == nullptr, "one FaultVfs at a time");
  current = this;
  real_vfs = sqlite3_vfs_find("unix");
  util::ensure(real_vfs != nullptr, "SQLite has its own VFS");
  sqlite3_vfs& vfs = registration_->vfs;
  vfs = *real_vfs;  // all that is not a file is as it was
  vfs.pNext = nullptr;
  vfs.zName = "spv-fault";
  vfs.szOsFile = static_cast<int>(sizeof(FaultFile)) + real_vfs->szOsFile;
  vfs.xOpen = open;
  vfs.xDelete = remove;
  util::ensure(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK, "SQLite takes a VFS");
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&registration_->vfs);
  sqlite3_vfs_register(real_vfs, 1);
  current = nullptr;
}

void FaultVfs::fail_at(std::uint64_t call, DiskFault fault, bool lasting) {
  fail_at_ = call;
  fault_ = fault;
  lasting_ = lasting;
  failed_ = false;
}

int FaultVfs::begin(Call call) {
  ++calls_;
  if (call != Call::Read && watch_) watch_();
  if (fail_at_ == 0 || calls_ < fail_at_ || (fault_ == DiskFault::Full && call != Call::Write)) return SQLITE_OK;
  if (failed_ && !lasting_) return SQLITE_OK;
  failed_ = true;
  return fault_ == DiskFault::Full ? SQLITE_FULL : SQLITE_IOERR;
}

void FaultVfs::note_open(const std::string& path) {
  const auto [entry, is_new] = files_.try_emplace(path);
  if (is_new) entry->second.durable = content_of(path);
}
void FaultVfs::note_write(const std::string& path, std::uint64_t offset, util::ByteView data) {
  files_[path].pending.push_back({.truncate = false, .offset = offset, .data = util::to_bytes(data)});
}
void FaultVfs::note_truncate(const std::string& path, std::uint64_t size) {
  files_[path].pending.push_back({.truncate = true, .offset = size, .data = {}});
}
void FaultVfs::note_sync(const std::string& path) {
  File& file = files_[path];
  file.pending.clear();
  file.durable = content_of(path);
}
void FaultVfs::note_delete(const std::string& path) { files_.erase(path); }

void FaultVfs::apply(util::Bytes& content, const Pending& change) {
  if (change.truncate) {
    content.resize(change.offset);
    return;
  }
  content.resize(std::max<std::size_t>(content.size(), change.offset + change.data.size()));
  std::ranges::copy(change.data, content.begin() + static_cast<std::ptrdiff_t>(change.offset));
}

void FaultVfs::apply_torn(util::Bytes& content, const Pending& change, std::size_t sector, util::Rng& rng) {
  // Sectors are where the disk has them, not where the write begins.
  std::size_t at = 0;
  while (at < change.data.size()) {
    const std::uint64_t position = change.offset + at;
    const std::size_t size = std::min<std::size_t>(sector - position % sector, change.data.size() - at);
    if (rng.below(2) == 0) {
      const auto first = change.data.begin() + static_cast<std::ptrdiff_t>(at);
      apply(content,
            {.truncate = false, .offset = position, .data = {first, first + static_cast<std::ptrdiff_t>(size)}});
    }
    at += size;
  }
}

void FaultVfs::write_power_loss_image(const std::filesystem::path& from, const std::filesystem::path& to,
                                      std::size_t sector, util::Rng& rng) const {
  for (const auto& [path, file] : files_) {
    if (std::filesystem::path(path).parent_path() != from) continue;
    util::Bytes content = file.durable;
    for (const Pending& change : file.pending) {
      const auto fate = rng.below(3);
      if (fate == 0) apply(content, change);
      if (fate == 1 && !change.truncate) apply_torn(content, change, sector, rng);
    }
    std::ofstream out(to / std::filesystem::path(path).filename(), std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  }
}

}  // namespace spv::test
