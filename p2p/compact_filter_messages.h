// Messages of compact block filters (BIP157): requests and answers for filters, their headers and their checkpoints.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "chain/types.h"
#include "util/bytes.h"
#include "util/codec.h"

namespace spv::p2p {

inline constexpr std::size_t kMaxFilterHeaders = 2'000;

/// A range of blocks: from a height up to a block.
struct FilterRange {
  std::uint8_t filter_type = 0;
  std::uint32_t start_height = 0;
  chain::BlockHash stop;

  void encode(util::Writer& out) const;
  static FilterRange decode(util::Reader& in);
  friend bool operator==(const FilterRange&, const FilterRange&) = default;
};

struct GetCFilters {
  static constexpr std::string_view kCommand = "getcfilters";
  FilterRange range;

  void encode(util::Writer& out) const { range.encode(out); }
  static GetCFilters decode(util::Reader& in) { return {FilterRange::decode(in)}; }
  friend bool operator==(const GetCFilters&, const GetCFilters&) = default;
};
struct CFilter {
  static constexpr std::string_view kCommand = "cfilter";
  std::uint8_t filter_type = 0;
  chain::BlockHash block;
  util::Bytes filter;

  void encode(util::Writer& out) const;
  static CFilter decode(util::Reader& in);
  friend bool operator==(const CFilter&, const CFilter&) = default;
};
struct GetCFHeaders {
  static constexpr std::string_view kCommand = "getcfheaders";
  FilterRange range;

  void encode(util::Writer& out) const { range.encode(out); }
  static GetCFHeaders decode(util::Reader& in) { return {FilterRange::decode(in)}; }
  friend bool operator==(const GetCFHeaders&, const GetCFHeaders&) = default;
};
struct CFHeaders {
  static constexpr std::string_view kCommand = "cfheaders";
  std::uint8_t filter_type = 0;
  chain::BlockHash stop;
  util::FilterHeader previous_header;
  std::vector<util::FilterHash> filter_hashes;

  void encode(util::Writer& out) const;
  static CFHeaders decode(util::Reader& in);
  friend bool operator==(const CFHeaders&, const CFHeaders&) = default;
};
struct GetCFCheckpt {
  static constexpr std::string_view kCommand = "getcfcheckpt";
  std::uint8_t filter_type = 0;
  chain::BlockHash stop;

  void encode(util::Writer& out) const;
  static GetCFCheckpt decode(util::Reader& in);
  friend bool operator==(const GetCFCheckpt&, const GetCFCheckpt&) = default;
};
struct CFCheckpt {
  static constexpr std::string_view kCommand = "cfcheckpt";
  std::uint8_t filter_type = 0;
  chain::BlockHash stop;
  std::vector<util::FilterHeader> filter_headers;

  void encode(util::Writer& out) const;
  static CFCheckpt decode(util::Reader& in);
  friend bool operator==(const CFCheckpt&, const CFCheckpt&) = default;
};

}  // namespace spv::p2p
