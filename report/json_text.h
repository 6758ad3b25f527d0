// JSON documents as text.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

namespace spv::report {

/// In one line. Numbers that are not whole are written as people write them, 12.5 and 1.0, where they are not too small
/// or too large for that.
std::string json_text(const boost::json::value& document);

}  // namespace spv::report
