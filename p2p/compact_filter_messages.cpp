#include "p2p/compact_filter_messages.h"

#include <limits>

namespace spv::p2p {
namespace {

template <typename Hash>
void encode(util::Writer& out, const std::vector<Hash>& hashes) {
  out.compact_size(hashes.size());
  for (const auto& hash : hashes) out.hash(hash);
}

template <typename Hash>
std::vector<Hash> decode_hashes(util::Reader& in, std::size_t limit) {
  std::vector<Hash> hashes(in.count(Hash::kSize, limit));
  for (auto& hash : hashes) hash = in.hash<Hash>();
  return hashes;
}

}  // namespace

void FilterRange::encode(util::Writer& out) const { out.integer(filter_type).integer(start_height).hash(stop); }

FilterRange FilterRange::decode(util::Reader& in) {
  FilterRange range;
  range.filter_type = in.integer<std::uint8_t>();
  range.start_height = in.integer<std::uint32_t>();
  range.stop = in.hash<chain::BlockHash>();
  return range;
}

void CFilter::encode(util::Writer& out) const { out.integer(filter_type).hash(block).var_bytes(filter); }

CFilter CFilter::decode(util::Reader& in) {
  CFilter message;
  message.filter_type = in.integer<std::uint8_t>();
  message.block = in.hash<chain::BlockHash>();
  message.filter = in.var_bytes(in.remaining());
  return message;
}

void CFHeaders::encode(util::Writer& out) const {
  out.integer(filter_type).hash(stop).hash(previous_header);
  p2p::encode(out, filter_hashes);
}

CFHeaders CFHeaders::decode(util::Reader& in) {
  CFHeaders message;
  message.filter_type = in.integer<std::uint8_t>();
  message.stop = in.hash<chain::BlockHash>();
  message.previous_header = in.hash<util::FilterHeader>();
  message.filter_hashes = decode_hashes<util::FilterHash>(in, kMaxFilterHeaders);
  return message;
}

void GetCFCheckpt::encode(util::Writer& out) const { out.integer(filter_type).hash(stop); }

GetCFCheckpt GetCFCheckpt::decode(util::Reader& in) {
  GetCFCheckpt message;
  message.filter_type = in.integer<std::uint8_t>();
  message.stop = in.hash<chain::BlockHash>();
  return message;
}

void CFCheckpt::encode(util::Writer& out) const {
  out.integer(filter_type).hash(stop);
  p2p::encode(out, filter_headers);
}

CFCheckpt CFCheckpt::decode(util::Reader& in) {
  CFCheckpt message;
  message.filter_type = in.integer<std::uint8_t>();
  message.stop = in.hash<chain::BlockHash>();
  message.filter_headers = decode_hashes<util::FilterHeader>(in, std::numeric_limits<std::size_t>::max());
  return message;
}

}  // namespace spv::p2p
