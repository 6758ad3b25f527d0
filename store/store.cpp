#include "store/store.h"

namespace spv::store {

std::vector<Store::Opened> Store::open_all(const std::vector<std::string>& names, Access access) {
  std::vector<Opened> out;
  out.reserve(names.size());
  for (const auto& name : names) {
    auto wallet = open(name, access);
    auto contents = wallet->load();
    out.push_back({std::move(wallet), std::move(contents)});
  }
  return out;
}

}  // namespace spv::store
