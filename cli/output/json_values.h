// Values of JSON documents that may be unknown: null then.
#pragma once

#include <optional>

#include <boost/json/value.hpp>

#include "util/time.h"

namespace spv::cli {

template <typename T>
boost::json::value or_null(const std::optional<T>& value) {
  return value ? boost::json::value(*value) : boost::json::value(nullptr);
}

/// Zero stands for a time that is not known.
inline boost::json::value time_or_null(util::UnixTime time) {
  return time == 0 ? boost::json::value(nullptr) : boost::json::value(time);
}

}  // namespace spv::cli
