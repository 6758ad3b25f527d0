// Routes: which path and method is answered by what.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/handler.h"

namespace spv::serve {

/// What a path of a pattern holds in its places: of "/v1/wallets/{name}" the name.
using Places = std::vector<std::string>;

/// A request that matched a route.
struct Call {
  Request request;
  Places places;

  /// The place that comes first, as the name of a wallet does.
  [[nodiscard]] const std::string& name() const { return places.front(); }
};

struct Route {
  Method method = Method::Get;
  std::string_view pattern;  // "/v1/wallets/{name}/history"; "{…}" stands for one segment
  /// Answers at once, on the server's thread: what it does must not block.
  std::function<void(Call, Reply)> answer;
};

class Routes {
 public:
  explicit Routes(std::vector<Route> routes);

  /// Answers 404, or 405 with `Allow`, where there is none.
  void handle(Request request, Reply reply) const;
  [[nodiscard]] const std::vector<Route>& all() const { return routes_; }

 private:
  struct Pattern {
    std::vector<std::string_view> segments;
    std::size_t route = 0;
  };
  [[nodiscard]] static std::optional<Places> match(const Pattern& pattern, const std::vector<std::string>& segments);

  std::vector<Route> routes_;
  std::vector<Pattern> patterns_;
};

}  // namespace spv::serve
