#include "wallet/script_list.h"

#include <algorithm>

#include "util/codec.h"
#include "wallet/script.h"

namespace spv::wallet {

std::size_t ScriptList::begin_of(std::size_t place) const {
  if (is_even()) return place * length_;
  return place == 0 ? 0 : ends_[place - 1];
}

util::ByteView ScriptList::operator[](std::size_t place) const {
  const std::size_t begin = begin_of(place);
  return util::ByteView(bytes_).subspan(begin, begin_of(place + 1) - begin);
}

void ScriptList::push_back(util::ByteView script) {
  if (count_ == 0) length_ = static_cast<std::uint32_t>(script.size());
  if (is_even() && script.size() != length_) {
    for (std::size_t place = 1; place <= count_; ++place) ends_.push_back(place * length_);
  }
  bytes_.insert(bytes_.end(), script.begin(), script.end());
  if (!is_even()) ends_.push_back(bytes_.size());
  ++count_;
}

void ScriptList::append(const ScriptList& others) {
  reserve(size() + others.size());
  for (std::size_t place = 0; place < others.size(); ++place) push_back(others[place]);
}

void ScriptList::reserve(std::size_t count) {
  if (is_even()) bytes_.reserve(count * length_);
}

void ScriptList::truncate(std::size_t count) {
  if (count >= count_) return;
  bytes_.resize(begin_of(count));
  if (!is_even()) ends_.resize(count);
  count_ = static_cast<std::uint32_t>(count);
}

ScriptList ScriptList::from(std::size_t place) const {
  ScriptList out;
  for (; place < size(); ++place) {
    out.push_back((*this)[place]);
    if (out.size() == 1) out.reserve(size() - place);
  }
  return out;
}

util::Bytes ScriptList::encode() const {
  util::Writer out(bytes_.size() + count_);
  for (std::size_t place = 0; place < size(); ++place) out.var_bytes((*this)[place]);
  return out.take();
}

bool ScriptList::append_encoded(util::ByteView bytes, std::size_t most) {
  const std::size_t before = size();
  util::Reader reader(bytes);
  while (reader.remaining() > 0 && size() - before < most) {
    const util::ByteView script = reader.var_view(kMaxScriptSize);
    if (reader.ok()) push_back(script);
  }
  if (!reader.done()) truncate(before);
  return reader.done();
}

bool operator==(const ScriptList& a, const ScriptList& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t place = 0; place < a.size(); ++place) {
    if (!std::ranges::equal(a[place], b[place])) return false;
  }
  return true;
}

}  // namespace spv::wallet
