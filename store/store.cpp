#include "store/store.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "store/new_wallet_file.h"

namespace spv::store {
namespace {

constexpr std::size_t kMaxNameLength = 64;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

bool is_wallet_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameLength && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

NewStoredWallet copy_of(StoredWallet& wallet) {
  WalletCopy copy = wallet.copy();
  return {.contents = std::move(copy.contents),
          .info = copy.info,
          .secret = std::move(copy.secret),
          .labels = std::move(copy.labels)};
}

void Store::backup(const std::string& name, const std::filesystem::path& file) {
  make_wallet_file(file, copy_of(*open(name, Access::Read)), {});
}

std::optional<StoredBalance> Store::balance(const std::string& /*name*/) { return std::nullopt; }

ErrandReply Store::ask_holder(const std::string& /*wallet*/, std::string_view /*kind*/, std::string_view /*body*/,
                              std::chrono::milliseconds /*timeout*/, const std::stop_token& /*stop*/) {
  return {};
}

std::vector<Errand> Store::take_errands(std::chrono::milliseconds timeout) {
  std::this_thread::sleep_for(timeout);
  return {};
}

std::vector<std::string> Store::owners_of(const std::vector<chain::OutPoint>& /*outpoints*/) { return {}; }

void Store::answer_errand(ErrandId /*id*/, std::string_view /*answer*/) {}

std::vector<Store::Opened> Store::open_all(const std::vector<std::string>& names, Access access) {
  std::vector<Opened> out;
  out.reserve(names.size());
  for (const auto& name : names) {
    auto wallet = open(name, access);
    auto contents = wallet->load();
    wallet->rest();  // thousands of open files are more than a process may have
    out.push_back({std::move(wallet), std::move(contents)});
  }
  return out;
}

}  // namespace spv::store
