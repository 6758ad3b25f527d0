// Handler: what answers the requests that the server lets through.
#pragma once

#include "serve/http/reply.h"
#include "serve/http/request.h"

namespace spv::serve {

class Handler {
 public:
  Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  virtual ~Handler() = default;
  /// On the server's thread; must not block. The reply may be kept and answered later. An exception is answered by 503.
  virtual void handle(Request request, Reply reply) = 0;
};

}  // namespace spv::serve
