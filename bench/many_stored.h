// Where the benchmarks of storage keep many wallets: a folder of files, or a PostgreSQL of their own.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "bench/sample_wallet.h"
#include "client/data_folder.h"
#include "client/open_wallet.h"
#include "store/store.h"
#include "tests/support/postgres_cluster.h"
#include "tests/support/temp_dir.h"

namespace spv::bench {

inline std::string sample_name(std::size_t number) { return "w" + std::to_string(number); }

inline std::vector<util::Bytes> make_wallets(store::Store& store, std::size_t count, chain::Height birthday) {
  util::Rng rng(std::uint64_t{2});
  std::vector<util::Bytes> scripts;
  for (std::size_t number = 0; number < count; ++number) {
    const auto sample = sample_wallet(number, rng);
    store::NewStoredWallet made;
    made.contents.config = sample_config(sample);
    made.contents.config.birthday = birthday;
    made.contents.config.filter.decoy_seed = rng.next();
    made.contents.state = sample_state(made.contents.config, sample);
    const util::ByteView first = made.contents.state.scripts.front()[0];
    scripts.emplace_back(first.begin(), first.end());
    store.create(sample_name(number), made);
    // The first time that a wallet file is opened it is given its log.
    static_cast<void>(store.open(sample_name(number), store::Access::Write));
  }
  return scripts;
}

/// Commits wait for the disk, in both.
class Place {
 public:
  enum class Kind { Files, Database };
  explicit Place(Kind kind) : kind_(kind) {
    if (kind_ == Kind::Files) return;
    cluster_ = std::make_unique<test::PostgresCluster>(test::PostgresOptions{.durable = true});
    url_ = cluster_->url(cluster_->create_database());
  }
  [[nodiscard]] std::string name() const { return kind_ == Kind::Files ? "SQLite files" : "PostgreSQL"; }
  [[nodiscard]] std::string folder() const { return folder_.file("data"); }
  /// Empty: files.
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] std::shared_ptr<store::Store> open() const { return open_at(folder(), url_); }
  /// Makes wallets 0 to `count` - 1 that begin at this block; gives one script of each.
  std::vector<util::Bytes> make_wallets(std::size_t count, chain::Height birthday) const {
    if (kind_ == Kind::Database) {
      return bench::make_wallets(*open_at(folder(), url_ + "?options=-c%20synchronous_commit%3Doff"), count, birthday);
    }
    // To wait for a disk thousands of times takes minutes: they are made in memory and copied.
    const test::TempDir memory("/dev/shm");
    auto scripts = bench::make_wallets(*open_at(memory.file("data"), ""), count, birthday);
    std::filesystem::copy(memory.file("data"), folder(), std::filesystem::copy_options::recursive);
    // As files are when a program starts: one that changed in the last two seconds is opened in another way.
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return scripts;
  }

 private:
  static std::shared_ptr<store::Store> open_at(const std::string& folder, const std::string& url) {
    return client::make_store(client::DataFolder(folder, chain::Network::Regtest), chain::Network::Regtest, url);
  }

  Kind kind_;
  test::TempDir folder_;
  std::unique_ptr<test::PostgresCluster> cluster_;
  std::string url_;
};

/// "files", "database", or both without an argument; empty: it is something else.
inline std::vector<Place::Kind> places_named(int argc, char** argv) {
  const std::string_view name = argc == 2 ? argv[1] : "";
  if (argc == 1) return {Place::Kind::Files, Place::Kind::Database};
  if (name == "files") return {Place::Kind::Files};
  if (name == "database") return {Place::Kind::Database};
  std::fprintf(stderr, "usage: %s [files|database]\n", argv[0]);
  return {};
}

/// An open wallet file has a lock, which is a descriptor.
inline void allow_many_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace spv::bench
