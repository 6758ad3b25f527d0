#include "store/filter_header_file.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "store/header_file.h"
#include "store/sealed.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::store {
namespace {

using chain::BlockHash;
using chain::Height;
using util::FilterHeader;
using util::Hash256;

constexpr std::string_view kFilterMagic = "SPVFHDR1";
constexpr std::uint32_t kFilterFormat = 1;
constexpr std::array<std::uint64_t, 2> kFilterSlots{512, 1024};
constexpr std::uint64_t kPageSize = 4096;
constexpr std::uint64_t kPageRecords = kPageSize / FilterHeader::kSize - 1;
constexpr std::size_t kFilterPreambleSize = 8 + 4 + 4 + 4 + 32 + kChecksumSize;
constexpr std::size_t kFilterBatch = 2000;
constexpr std::uint64_t kCommitFiltersEvery = 20'000;
/// What a reader holds in memory: no reorganisation is as deep.
constexpr std::uint64_t kHeldRecords = 4 * kPageRecords;
constexpr int kOpenTries = 5;
constexpr std::chrono::milliseconds kOpenPause{20};

static_assert(sizeof(FilterHeader) == FilterHeader::kSize);

/// The first page holds preamble and slots.
std::uint64_t page_offset(std::uint64_t page) { return (page + 1) * kPageSize; }
std::uint64_t seal_offset(std::uint64_t page) { return page_offset(page) + kPageRecords * FilterHeader::kSize; }
std::uint64_t filter_record_offset(std::uint64_t index) {
  return page_offset(index / kPageRecords) + index % kPageRecords * FilterHeader::kSize;
}

util::ByteView bytes_of(std::span<const FilterHeader> headers) {
  return {headers.empty() ? nullptr : headers.front().bytes.data(), headers.size_bytes()};
}

}  // namespace

std::unique_ptr<FilterHeaderFile> FilterHeaderFile::open(const std::string& path, const chain::NetworkParams& params,
                                                         const chain::HeaderStore& headers) {
  std::unique_ptr<FilterHeaderFile> file(new FilterHeaderFile(with_private_directory(path), params, headers));
  file->load();
  return file;
}

FilterHeaderFile::FilterHeaderFile(const std::string& path, const chain::NetworkParams& params,
                                   const chain::HeaderStore& headers)
    : params_(params), headers_(headers), file_(path), writer_(file_.lock()), base_height_(headers.base_height()) {}

FilterHeaderFile::~FilterHeaderFile() {
  try {
    flush();
  } catch (const std::exception&) {
    overlay_.clear();  // what was not committed is fetched again
  }
}

void FilterHeaderFile::load() {
  const bool is_readable = read_preamble();
  auto slot = is_readable ? newest_sound_slot() : std::nullopt;
  // Beside a writer a slot may only have been overtaken.
  for (int tries = 0; !slot && !writer_ && tries < kOpenTries; ++tries) {
    std::this_thread::sleep_for(kOpenPause);
    slot = read_preamble() ? newest_sound_slot() : std::nullopt;
  }
  if (!slot) {
    mended_ = is_readable;
    start_anew();
    return;
  }
  sequence_ = slot->sequence;
  file_count_ = slot->count;
  const std::uint64_t kept = count_on_chain(*slot);
  if (!writer_) hold(slot->seal);
  if (kept < count()) truncate_to(kept);
}

// False as well if it begins elsewhere than the headers do.
bool FilterHeaderFile::read_preamble() {
  if (file_.size() < kPageSize) return false;
  const util::ByteView bytes(file_.read(0, kFilterPreambleSize), kFilterPreambleSize);
  util::Reader in(bytes);
  const auto magic = in.view(kFilterMagic.size());
  if (!is_sealed(bytes) || !std::equal(magic.begin(), magic.end(), kFilterMagic.begin())) return false;
  if (in.integer<std::uint32_t>() != kFilterFormat) throw std::runtime_error(file_.path() + " is of another format");
  if (in.array<4>() != params_.magic) throw std::runtime_error(file_.path() + " is of another network");
  return in.integer<std::int32_t>() == base_height_ && in.hash<BlockHash>() == headers_.hash_at(base_height_);
}

// In place: a reader of the old file finds seals that do not fit.
void FilterHeaderFile::start_anew() {
  file_count_ = 0;
  if (!writer_) return;
  util::Writer out(kPageSize);
  out.bytes(util::as_bytes(kFilterMagic)).integer(kFilterFormat).bytes(params_.magic).integer(base_height_);
  util::Bytes head = sealed(std::move(out.hash(headers_.hash_at(base_height_))));
  head.resize(kPageSize);
  file_.write(0, head);
  commit();
  file_.sync();
}

std::optional<FilterHeaderFile::Slot> FilterHeaderFile::newest_sound_slot() const {
  std::optional<Slot> newest;
  for (const auto offset : kFilterSlots) {
    auto slot = read_slot(offset);
    if (slot && (!newest || slot->sequence > newest->sequence)) newest = slot;
  }
  return newest;
}

std::optional<FilterHeaderFile::Slot> FilterHeaderFile::read_slot(std::uint64_t offset) const {
  constexpr std::size_t kSize = 8 + 8 + 32 + kDepths.size() * BlockHash::kSize + kChecksumSize;
  const util::ByteView bytes(file_.read(offset, kSize), kSize);
  if (!is_sealed(bytes)) return std::nullopt;
  util::Reader in(bytes);
  Slot slot;
  slot.sequence = in.integer<std::uint64_t>();
  slot.count = in.integer<std::uint64_t>();
  slot.seal = in.hash();
  for (auto& block : slot.blocks) block = in.hash<BlockHash>();
  const std::uint64_t pages = file_.size() / kPageSize - 1;
  const bool fits = slot.count <= pages * kPageRecords ||
                    (slot.count / kPageRecords == pages && filter_record_offset(slot.count) <= file_.size());
  if (!fits || seal_of(slot.count) != slot.seal) return std::nullopt;
  return slot;
}

std::uint64_t FilterHeaderFile::count_on_chain(const Slot& slot) const {
  for (std::size_t i = 0; i < kDepths.size(); ++i) {
    const auto depth = static_cast<std::uint64_t>(kDepths.at(i));
    if (depth >= slot.count) break;
    const std::uint64_t kept = slot.count - depth;
    const Height height = base_height_ + static_cast<Height>(kept) - 1;
    if (height <= headers_.tip_height() && headers_.hash_at(height) == slot.blocks.at(i)) return kept;
  }
  return 0;
}

// The writer may reorganise: what it overwrites must not be under us.
void FilterHeaderFile::hold(const Hash256& seal) {
  const std::uint64_t first =
      file_count_ <= kHeldRecords ? 0 : (file_count_ - kHeldRecords) / kPageRecords * kPageRecords;
  std::vector<FilterHeader> held;
  for (std::uint64_t index = first; index < file_count_; ++index) {
    if (index % kPageRecords == 0 && index + kPageRecords < file_count_) check_page(index / kPageRecords);
    held.push_back(record(index));
  }
  if (seal_of(file_count_) != seal) {
    throw HeadersChanged(file_.path() + " changed while it was read: run again to read it");
  }
  file_count_ = first;
  overlay_ = std::move(held);
}

Height FilterHeaderFile::tip_height() const { return base_height_ + static_cast<Height>(count()) - 1; }

FilterHeader FilterHeaderFile::at(Height height) const {
  util::ensure(height >= base_height_ && height <= tip_height(), "no filter header at this height");
  const auto index = static_cast<std::uint64_t>(height - base_height_);
  if (index >= file_count_) return overlay_[index - file_count_];
  // The last page was checked at opening, or is ours, and has no seal until it is full.
  if (index / kPageRecords < file_count_ / kPageRecords) check_page(index / kPageRecords);
  return record(index);
}

void FilterHeaderFile::replace_above(Height fork, std::span<const FilterHeader> headers) {
  util::ensure(fork >= base_height_ - 1 && fork <= tip_height(), "filter headers follow those that are there");
  const auto kept = static_cast<std::uint64_t>(std::int64_t{fork} - base_height_ + 1);
  if (kept < count()) truncate_to(kept);
  if (headers.empty()) return;
  if (!writer_) {
    overlay_.insert(overlay_.end(), headers.begin(), headers.end());
    return;
  }
  append(headers);
  uncommitted_ += headers.size();
  if (headers.size() < kFilterBatch || uncommitted_ >= kCommitFiltersEvery) commit();
}

void FilterHeaderFile::append(std::span<const FilterHeader> headers) {
  while (!headers.empty()) {
    const auto fitting = static_cast<std::size_t>(kPageRecords - file_count_ % kPageRecords);
    const auto part = headers.first(std::min(fitting, headers.size()));
    file_.write(filter_record_offset(file_count_), bytes_of(part));
    file_count_ += part.size();
    if (file_count_ % kPageRecords == 0) {
      file_.write(seal_offset(file_count_ / kPageRecords - 1), seal_of(file_count_).view());
    }
    headers = headers.subspan(part.size());
  }
}

void FilterHeaderFile::truncate_to(std::uint64_t wanted) {
  if (!writer_) {
    overlay_.resize(wanted > file_count_ ? wanted - file_count_ : 0);
    file_count_ = std::min(file_count_, wanted);
    return;
  }
  // What remains of a page gets a new seal, so it must be right.
  if (wanted > 0 && (wanted - 1) / kPageRecords < file_count_ / kPageRecords) check_page((wanted - 1) / kPageRecords);
  file_count_ = wanted;
  checked_.resize(std::min<std::size_t>(checked_.size(), wanted / kPageRecords));
  commit();
  file_.sync();  // the records above are about to be overwritten
}

void FilterHeaderFile::flush() {
  if (writer_ && uncommitted_ > 0) commit();
}

void FilterHeaderFile::commit() {
  if (damaged_) return;  // the next opening starts anew; a fresh slot would hide that it must
  file_.sync();          // a slot must not reach the disk before the records that it counts
  ++sequence_;
  util::Writer out;
  out.integer(sequence_).integer(file_count_).hash(seal_of(file_count_));
  for (const auto depth : kDepths) {
    const Height height = tip_height() - depth;
    const bool is_there = height >= base_height_ && height <= headers_.tip_height();
    out.hash(is_there ? headers_.hash_at(height) : BlockHash{});
  }
  file_.write(kFilterSlots.at(sequence_ % 2), sealed(std::move(out)));
  uncommitted_ = 0;
}

// Of the page in which a file of so many records ends.
Hash256 FilterHeaderFile::seal_of(std::uint64_t count) const {
  if (count == 0) return {};
  const std::uint64_t page = (count - 1) / kPageRecords;
  util::Sha256 hash;
  if (page > 0) hash.write({file_.read(seal_offset(page - 1), Hash256::kSize), Hash256::kSize});
  const std::uint64_t size = (count - page * kPageRecords) * FilterHeader::kSize;
  return hash.write({file_.read(page_offset(page), size), size}).finish_double();
}

FilterHeader FilterHeaderFile::record(std::uint64_t index) const {
  FilterHeader header;
  const auto* bytes = file_.read(filter_record_offset(index), FilterHeader::kSize);
  std::copy_n(bytes, FilterHeader::kSize, header.bytes.begin());
  return header;
}

// Of a full page that is not the last one.
void FilterHeaderFile::check_page(std::uint64_t page) const {
  if (page < checked_.size() && checked_[page]) return;
  const auto seal = seal_of((page + 1) * kPageRecords);
  if (!std::equal(seal.bytes.begin(), seal.bytes.end(), file_.read(seal_offset(page), Hash256::kSize))) {
    const std::string where = std::to_string(base_height_ + static_cast<Height>(page * kPageRecords));
    if (!writer_) throw HeadersChanged(file_.path() + " was changed above height " + where + ": run again to read it");
    // Without a slot the next opening starts anew.
    for (const auto offset : kFilterSlots) file_.write(offset, util::Bytes(kFilterSlots[0]));
    damaged_ = true;
    throw std::runtime_error(file_.path() + " is damaged above height " + where + "; sync again to repair it");
  }
  if (checked_.size() <= page) checked_.resize(page + 1);
  checked_[page] = true;
}

}  // namespace spv::store
