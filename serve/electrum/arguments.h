// Arguments: the parameters of a call, by place or by name, read by strict rules. The first thing that is wrong is
// kept, and what is read after it means nothing: error() tells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "serve/electrum/json_rpc.h"
#include "util/hash256.h"

namespace spv::serve::electrum {

class Arguments {
 public:
  /// `params` outlives it. More arguments than names are an error, unless `lenient`.
  Arguments(const boost::json::value& params, std::span<const std::string_view> names, bool lenient = false);

  [[nodiscard]] bool has(std::size_t place) const { return find(place) != nullptr; }
  std::int64_t integer(std::size_t place, std::int64_t least, std::int64_t most);
  std::int64_t integer_or(std::size_t place, std::int64_t least, std::int64_t most, std::int64_t absent);
  bool flag_or(std::size_t place, bool absent);
  std::string text(std::size_t place);
  std::string text_or(std::size_t place, std::string absent);
  /// 64 characters of hex.
  template <typename Hash>
  Hash hash(std::size_t place) {
    return util::retag<Hash>(any_hash(place));
  }
  /// As it is; null if it is not there.
  [[nodiscard]] const boost::json::value* find(std::size_t place) const;

  void fail(std::string message);
  [[nodiscard]] const std::optional<RpcError>& error() const { return error_; }

 private:
  const boost::json::value* required(std::size_t place);
  util::Hash256 any_hash(std::size_t place);
  [[nodiscard]] std::string name_of(std::size_t place) const { return std::string(names_[place]); }

  const boost::json::value& params_;
  std::span<const std::string_view> names_;
  std::optional<RpcError> error_;
};

}  // namespace spv::serve::electrum
