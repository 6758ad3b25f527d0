// Values of JSON documents that may be unknown: null then.
#pragma once

#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "chain/types.h"
#include "util/hash256.h"
#include "util/time.h"

namespace spv::report {

template <typename T>
boost::json::value or_null(const std::optional<T>& value) {
  return value ? boost::json::value(*value) : boost::json::value(nullptr);
}

/// Zero stands for a time that is not known.
inline boost::json::value time_or_null(util::UnixTime time) {
  return time == 0 ? boost::json::value(nullptr) : boost::json::value(time);
}

inline boost::json::value txid_or_null(const std::optional<chain::Txid>& txid) {
  return txid ? boost::json::value(util::to_string(*txid)) : boost::json::value(nullptr);
}

/// An empty text stands for one that is not known.
inline boost::json::value text_or_null(const std::string& text) {
  return text.empty() ? boost::json::value(nullptr) : boost::json::value(text);
}

}  // namespace spv::report
