#include "bip158/script_set.h"

#include <algorithm>

#include "util/ensure.h"

namespace spv::bip158 {
namespace {

/// The place of a length in kLengths; their number if it is another one.
std::size_t place_of(std::size_t length) {
  return static_cast<std::size_t>(std::ranges::find(ScriptSet::kLengths, length) - ScriptSet::kLengths.begin());
}

}  // namespace

void ScriptSet::add(util::ByteView script) {
  if (script.empty()) return;
  const std::size_t place = place_of(script.size());
  util::Bytes& bytes = place < usual_.size() ? usual_[place] : others_;
  bytes.insert(bytes.end(), script.begin(), script.end());
  if (place == usual_.size()) ends_.push_back(others_.size());
}

void ScriptSet::reserve(std::size_t length, std::size_t count) {
  const std::size_t place = place_of(length);
  util::Bytes& bytes = place < usual_.size() ? usual_[place] : others_;
  bytes.reserve(bytes.size() + length * count);
  if (place == usual_.size()) ends_.reserve(ends_.size() + count);
}

void ScriptSet::clear() {
  for (auto& bytes : usual_) bytes.clear();
  others_.clear();
  ends_.clear();
}

std::size_t ScriptSet::size() const {
  std::size_t count = ends_.size();
  for (std::size_t n = 0; n < kLengths.size(); ++n) count += usual_[n].size() / kLengths[n];
  return count;
}

util::ByteView ScriptSet::operator[](std::size_t index) const {
  for (std::size_t n = 0; n < kLengths.size(); ++n) {
    const std::size_t count = usual_[n].size() / kLengths[n];
    if (index < count) return util::ByteView(usual_[n]).subspan(index * kLengths[n], kLengths[n]);
    index -= count;
  }
  return other(index);
}

util::ByteView ScriptSet::other(std::size_t n) const {
  util::ensure(n < ends_.size(), "the set has no script of this index");
  const std::size_t begin = n == 0 ? 0 : ends_[n - 1];
  return util::ByteView(others_).subspan(begin, ends_[n] - begin);
}

}  // namespace spv::bip158
