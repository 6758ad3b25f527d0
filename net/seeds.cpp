#include "net/seeds.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>

#include "net/spawn.h"

namespace spv::net {
namespace asio = boost::asio;
namespace {

constexpr util::Duration kSeedLimit = std::chrono::seconds(10);
constexpr std::uint64_t kWanted = p2p::services::kNetwork | p2p::services::kBloom;

struct Prefix {
  std::string_view text;
  std::uint64_t services;
};
// NETWORK, BLOOM and WITNESS; without WITNESS; NETWORK, WITNESS and COMPACT_FILTERS; no bits: the seed does not say
// what its nodes serve.
constexpr std::uint64_t kCompact = p2p::services::kNetwork | p2p::services::kWitness | p2p::services::kCompactFilters;
constexpr std::array kPrefixes = {Prefix{"xd.", kWanted | p2p::services::kWitness}, Prefix{"x5.", kWanted},
                                  Prefix{"x49.", kCompact}, Prefix{"", 0}};

struct Search {
  SeedAnswer answer;
  std::size_t open = 0;  // seeds that have not answered

  void done(sync::PeersFound found) {
    found.last = --open == 0;
    answer(std::move(found));
  }
};

asio::awaitable<void> ask(Resolver& resolver, std::string seed, std::uint16_t port, std::shared_ptr<Search> search) {
  sync::PeersFound found;
  found.source = seed;
  for (const Prefix& prefix : kPrefixes) {
    std::string name(prefix.text);
    name += seed;
    const auto answer = co_await resolver.resolve(std::move(name), kSeedLimit);
    found.services = prefix.services;
    for (const auto& address : answer.addresses) found.addresses.push_back({address, port});
    if (!found.addresses.empty()) break;
  }
  search->done(std::move(found));
}

}  // namespace

void ask_seeds(asio::io_context& io, Resolver& resolver, std::vector<std::string> seeds, std::uint16_t port,
               bool by_name, SeedAnswer answer) {
  auto search = std::make_shared<Search>();
  search->answer = std::move(answer);
  search->open = seeds.size();
  if (seeds.empty()) {
    search->open = 1;
    asio::post(io, [search] { search->done({}); });
  }
  for (auto& seed : seeds) {
    if (!by_name) {
      spawn(io, ask(resolver, seed, port, search));
      continue;
    }
    asio::post(io, [search, seed, port] {
      sync::PeersFound found;
      found.source = seed;
      found.addresses = {{"x5." + seed, port}, {seed, port}};
      search->done(std::move(found));
    });
  }
}

}  // namespace spv::net
