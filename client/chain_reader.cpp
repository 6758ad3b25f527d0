#include "client/chain_reader.h"

#include <algorithm>

#include "client/client_impl.h"
#include "client/client_maker.h"

namespace spv::client {
namespace {

template <typename T, typename Get>
Result<std::vector<T>> read_each(Client& client, chain::Height from, std::size_t count, Get get) {
  auto& impl = ClientMaker::impl(client);
  const auto state = impl.syncer.lock();
  return guarded<std::vector<T>>([&] {
    return impl.with_headers<std::vector<T>>(*state, [&](const chain::HeaderStore* headers) -> Result<std::vector<T>> {
      std::vector<T> out;
      if (headers == nullptr || from > headers->tip_height()) return out;
      if (from < headers->base_height()) {
        return Error{ErrorCode::NotFound, "the headers here begin at block " + std::to_string(headers->base_height())};
      }
      const auto there = static_cast<std::size_t>(headers->tip_height() - from) + 1;
      out.reserve(std::min(count, there));
      for (std::size_t i = 0; i < std::min(count, there); ++i) {
        out.push_back(get(*headers, from + static_cast<chain::Height>(i)));
      }
      return out;
    });
  });
}

}  // namespace

Result<std::vector<chain::BlockHeader>> ChainReader::headers(chain::Height from, std::size_t count) const {
  return read_each<chain::BlockHeader>(client_, from, count,
                                       [](const auto& headers, chain::Height height) { return headers.at(height); });
}

Result<std::vector<chain::BlockHash>> ChainReader::hashes(chain::Height from, std::size_t count) const {
  return read_each<chain::BlockHash>(client_, from, count,
                                     [](const auto& headers, chain::Height height) { return headers.hash_at(height); });
}

}  // namespace spv::client
