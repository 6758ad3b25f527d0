#include "store/header_file.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

#include "chain/header_rules.h"
#include "chain/pow.h"
#include "store/sealed.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::store {
namespace {

using chain::BlockHash;
using chain::BlockHeader;
using chain::Height;
using chain::Uint256;

constexpr std::string_view kMagic = "SPVHDRS1";
constexpr std::uint32_t kFormat = 1;
constexpr std::uint64_t kSlotOffsets[] = {512, 1024};  // NOLINT(modernize-avoid-c-arrays): two sectors
constexpr std::uint64_t kRecordsOffset = 4096;
constexpr std::size_t kPreambleSize = 8 + 4 + 4 + 4 + 32 + 32 + kChecksumSize;
constexpr std::size_t kSlotSize = 8 + 8 + 32 + 32 + kChecksumSize;
/// What the rules of the next header may look at: a period and the median's span.
constexpr std::uint64_t kTail = chain::kRetargetInterval + chain::kMedianTimeSpan;
constexpr std::size_t kFullBatch = 2000;
// A crash costs so many headers: few enough that a program which is killed every minute on a slow connection gets on.
constexpr std::uint64_t kCommitEvery = 20'000;
// A writer that reorganises puts the new records in place within milliseconds.
constexpr int kReadTries = 5;
constexpr std::chrono::milliseconds kReadPause{20};
constexpr const char* kNewFileSuffix = ".new";

std::uint64_t record_offset(std::uint64_t index) { return kRecordsOffset + index * BlockHeader::kSize; }

}  // namespace

HeaderBase HeaderBase::genesis(const chain::NetworkParams& params) {
  return {.height = 0, .header = params.genesis, .work = chain::work_of_bits(params.genesis.bits)};
}

std::unique_ptr<HeaderFile> HeaderFile::open(const std::string& path, const chain::NetworkParams& params,
                                             const HeaderBase& base) {
  std::unique_ptr<HeaderFile> file(new HeaderFile(with_private_directory(path), params, Access::Write));
  file->load(base, Access::Write);
  return file;
}

std::unique_ptr<HeaderFile> HeaderFile::open_to_read(const std::string& path, const chain::NetworkParams& params) {
  std::unique_ptr<HeaderFile> file(new HeaderFile(path, params, Access::Read));
  file->load(HeaderBase::genesis(params), Access::Read);
  return file;
}

HeaderFile::HeaderFile(const std::string& path, const chain::NetworkParams& params, Access access)
    : params_(params), file_(path), writer_(access == Access::Write && file_.lock()) {
  // Between the opening and the lock another process may have put a new file in place.
  while (writer_ && !file_.is_at_its_path()) {
    file_ = MappedFile(path);
    writer_ = file_.lock();
  }
}

HeaderFile::~HeaderFile() {
  try {
    flush();
  } catch (const std::exception&) {
    overlay_.clear();  // what was not committed is fetched again
  }
}

void HeaderFile::load(const HeaderBase& base, Access access) {
  const bool is_readable = read_preamble();
  const bool begins_right = access == Access::Read || base_height_ < base.height || base_hash_ == base.header.hash();
  if (!is_readable || !begins_right) {
    mended_ = !is_readable && file_.size() > 0;
    start_anew(base);
    return;
  }
  auto slot = newest_slot();
  auto tail = slot ? sound_tail(*slot) : std::nullopt;
  // Beside a writer a tail that does not fit may only have been overtaken.
  for (int tries = 0; !tail && !writer_ && tries < kReadTries; ++tries) {
    std::this_thread::sleep_for(kReadPause);
    slot = newest_slot();
    tail = slot ? sound_tail(*slot) : std::nullopt;
  }
  mended_ = !tail;
  if (slot) sequence_ = slot->sequence;
  if (mended_) slot = longest_sound_prefix();
  if (slot->count == 0) {
    start_anew(base);
    return;
  }
  file_count_ = slot->count;
  tip_hash_ = slot->tip_hash;
  tip_work_ = slot->tip_work;
  if (!writer_) hold(tail ? std::move(tail) : sound_tail(*slot));
  if (writer_ && mended_) commit();
}

bool HeaderFile::read_preamble() {
  if (file_.size() < record_offset(1)) return false;
  const util::ByteView bytes(file_.read(0, kPreambleSize), kPreambleSize);
  util::Reader in(bytes);
  const auto magic = in.view(kMagic.size());
  if (!is_sealed(bytes) || !std::equal(magic.begin(), magic.end(), kMagic.begin())) return false;
  if (in.integer<std::uint32_t>() != kFormat) throw std::runtime_error(file_.path() + " is of another format");
  if (in.array<4>() != params_.magic) throw std::runtime_error(file_.path() + " is of another network");
  base_height_ = in.integer<std::int32_t>();
  base_work_ = Uint256::from_little_endian(in.view(32));
  base_hash_ = in.hash<BlockHash>();
  return true;
}

void HeaderFile::start_anew(const HeaderBase& base) {
  base_height_ = base.height;
  base_hash_ = tip_hash_ = base.header.hash();
  base_work_ = tip_work_ = base.work;
  if (!writer_) {
    file_count_ = 0;
    overlay_ = {base.header};
    return;
  }
  util::Writer out;
  out.bytes(util::as_bytes(kMagic)).integer(kFormat).bytes(params_.magic).integer(base.height);
  out.bytes(base.work.to_little_endian()).hash(base_hash_);
  const std::string path = file_.path();
  // Written under another name: another process may be reading the file that is there.
  std::optional<MappedFile> old;
  if (file_.size() > 0) {
    MappedFile fresh(path + kNewFileSuffix);
    if (!fresh.lock()) throw std::runtime_error(fresh.path() + " is in use by another process");
    fresh.clear();
    old.emplace(std::exchange(file_, std::move(fresh)));
  }
  file_.write(record_offset(0), base.header.bytes());
  file_.write(0, sealed(std::move(out)));
  file_count_ = 1;
  commit();
  if (!old) return;
  file_.sync();
  file_.rename_to(path);
}

std::optional<HeaderFile::Slot> HeaderFile::newest_slot() const {
  std::optional<Slot> newest;
  for (const auto offset : kSlotOffsets) {
    const auto slot = read_slot(offset);
    if (slot && (!newest || slot->sequence > newest->sequence)) newest = slot;
  }
  return newest;
}

std::optional<HeaderFile::Slot> HeaderFile::read_slot(std::uint64_t offset) const {
  const util::ByteView bytes(file_.read(offset, kSlotSize), kSlotSize);
  if (!is_sealed(bytes)) return std::nullopt;
  util::Reader in(bytes);
  Slot slot;
  slot.sequence = in.integer<std::uint64_t>();
  slot.count = in.integer<std::uint64_t>();
  slot.tip_hash = in.hash<BlockHash>();
  slot.tip_work = Uint256::from_little_endian(in.view(32));
  return slot;
}

// Copied before it is looked at: a reader keeps what it has looked at, whatever the writer does meanwhile.
std::optional<std::vector<BlockHeader>> HeaderFile::sound_tail(const Slot& slot) const {
  const std::uint64_t records = (file_.size() - kRecordsOffset) / BlockHeader::kSize;
  if (slot.count == 0 || slot.count > records || record(0).hash() != base_hash_) return std::nullopt;
  std::vector<BlockHeader> tail;
  for (std::uint64_t index = slot.count - std::min(slot.count, kTail); index < slot.count; ++index) {
    tail.push_back(record(index));
  }
  BlockHash expected = slot.tip_hash;
  for (auto header = tail.rbegin(); header != tail.rend(); ++header) {
    if (header->hash() != expected) return std::nullopt;
    expected = header->previous;
  }
  return tail;
}

HeaderFile::Slot HeaderFile::longest_sound_prefix() const {
  Slot slot{.sequence = 0, .count = 0, .tip_hash = base_hash_, .tip_work = base_work_};
  const std::uint64_t records = (file_.size() - kRecordsOffset) / BlockHeader::kSize;
  if (record(0).hash() != base_hash_) return slot;
  slot.count = 1;
  chain::TargetCache targets(params_);
  BlockHeader last = record(0);
  // A record counts once its successor names its hash: of the last one nothing vouches for all bits.
  for (std::uint64_t index = 1; index < records; ++index) {
    const BlockHeader next = record(index);
    const BlockHash hash = last.hash();
    const auto& target = targets.get(last.bits);
    if (next.previous != hash || !chain::meets_target(hash, target.target)) break;
    if (index > 1) {
      slot.tip_hash = hash;
      slot.tip_work = slot.tip_work + target.work;
      slot.count = index;
    }
    last = next;
  }
  return slot;
}

// The writer may reorganise: what it overwrites must not be under us.
void HeaderFile::hold(std::optional<std::vector<BlockHeader>> tail) {
  if (!tail) throw HeadersChanged(file_.path() + " changed while it was read: run again to read it");
  overlay_ = std::move(*tail);
  file_count_ -= overlay_.size();
}

Height HeaderFile::tip_height() const { return base_height_ + static_cast<Height>(count()) - 1; }

BlockHeader HeaderFile::at(Height height) const {
  const std::uint64_t index = index_of(height);
  const BlockHeader header = record(index);
  if (index < file_count_ && header.hash() != link(index)) report_damage(index);
  return header;
}

BlockHash HeaderFile::hash_at(Height height) const {
  const std::uint64_t index = index_of(height);
  const BlockHash hash = link(index);
  if (index < file_count_ && record(index).hash() != hash) report_damage(index);
  return hash;
}

std::optional<Height> HeaderFile::find(const BlockHash& hash) const {
  for (std::uint64_t index = count(); index-- > 0;) {
    if (link(index) == hash) return base_height_ + static_cast<Height>(index);
  }
  return std::nullopt;
}

void HeaderFile::replace_above(Height fork, std::span<const BlockHeader> headers, const BlockHash& tip_hash,
                               const Uint256& tip_work) {
  const std::uint64_t kept = index_of(fork) + 1;
  if (kept < count()) truncate_to(kept);
  if (!writer_) {
    overlay_.insert(overlay_.end(), headers.begin(), headers.end());
    tip_hash_ = tip_hash;
    tip_work_ = tip_work;
    return;
  }
  util::Writer out(headers.size() * BlockHeader::kSize);
  for (const auto& header : headers) header.encode(out);
  file_.write(record_offset(kept), out.data());
  file_count_ = kept + headers.size();
  uncommitted_ += headers.size();
  tip_hash_ = tip_hash;
  tip_work_ = tip_work;
  if (headers.size() < kFullBatch || uncommitted_ >= kCommitEvery) commit();
}

void HeaderFile::truncate_to(std::uint64_t wanted) {
  chain::TargetCache targets(params_);
  Uint256 work = tip_work_;
  for (std::uint64_t index = wanted; index < count(); ++index) work = work - targets.get(record(index).bits).work;
  tip_hash_ = link(wanted - 1);
  tip_work_ = work;
  if (!writer_) {
    overlay_.resize(wanted > file_count_ ? wanted - file_count_ : 0);
    file_count_ = std::min(file_count_, wanted);
    return;
  }
  file_count_ = wanted;
  commit();
  file_.sync();  // the records above are about to be overwritten
}

void HeaderFile::flush() {
  if (writer_ && !damaged_ && uncommitted_ > 0) commit();
}

void HeaderFile::commit() {
  if (damaged_) return;  // the next opening mends the file; a fresh slot would hide that it must
  file_.sync();          // a slot must not reach the disk before the records that it counts
  ++sequence_;
  util::Writer out;
  out.integer(sequence_).integer(file_count_).hash(tip_hash_).bytes(tip_work_.to_little_endian());
  file_.write(kSlotOffsets[sequence_ % 2], sealed(std::move(out)));
  uncommitted_ = 0;
}

BlockHeader HeaderFile::record(std::uint64_t index) const {
  if (index >= file_count_ && index - file_count_ < overlay_.size()) return overlay_[index - file_count_];
  const auto* bytes = file_.read(record_offset(index), BlockHeader::kSize);
  return BlockHeader::from_bytes(std::span<const std::uint8_t, BlockHeader::kSize>(bytes, BlockHeader::kSize));
}

BlockHash HeaderFile::link(std::uint64_t index) const {
  return index + 1 == count() ? tip_hash_ : record(index + 1).previous;
}

std::uint64_t HeaderFile::index_of(Height height) const {
  util::ensure(height >= base_height_ && height <= tip_height(), "no header at this height");
  return static_cast<std::uint64_t>(height - base_height_);
}

void HeaderFile::forget_slots() const {
  for (const auto offset : kSlotOffsets) file_.write(offset, util::Bytes(kSlotSize));
}

void HeaderFile::report_damage(std::uint64_t index) const {
  // Without a slot the next opening looks at every record.
  if (writer_) forget_slots();
  damaged_ = true;
  const std::string where = std::to_string(base_height_ + static_cast<Height>(index));
  if (!writer_) throw HeadersChanged(file_.path() + " was changed at height " + where + ": run again to read it");
  throw std::runtime_error(file_.path() + " is damaged at height " + where + "; sync again to repair it");
}

}  // namespace spv::store
