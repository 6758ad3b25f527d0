// Our server with a handler that answers everything with the same bytes: what the checks and limits cost.
//
// usage: serve_constant BYTES TOKEN     prints its port, ends when stdin does
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>

#include "serve/http/server.h"

namespace {

class Constant : public spv::serve::Handler {
 public:
  explicit Constant(std::size_t size) : body_(size, 'x') {}
  void handle(spv::serve::Request, spv::serve::Reply reply) override {
    reply.set_route("/constant");
    reply.send({.body = body_});
  }

 private:
  std::string body_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  boost::asio::io_context io(1);
  spv::serve::Access access({.token = argv[2], .host_names = {}, .entropy = [](auto) {}});
  Constant handler(std::strtoul(argv[1], nullptr, 10));
  std::uint64_t requests = 0;
  spv::serve::ServerOptions options;
  options.port = 0;
  options.log = [&requests](const spv::serve::RequestRecord&) { ++requests; };
  spv::serve::Server server(io, options, access, handler);
  const auto place = server.listen();
  if (!place) {
    std::cerr << place.error() << '\n';
    return 1;
  }
  std::cout << place->substr(place->rfind(':') + 1) << std::endl;
  std::thread watch([&] {
    while (std::getchar() != EOF) {
    }
    server.stop();
  });
  io.run();
  watch.join();
}
