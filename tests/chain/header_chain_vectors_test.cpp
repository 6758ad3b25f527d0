// The chain on real headers of the public vectors.
#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "chain/header_chain.h"
#include "tests/chain/header_builder.h"
#include "tests/support/vectors.h"

namespace spv::chain::test {
namespace {

using spv::test::hex;
using spv::test::read_binary;
using spv::test::read_json;
using spv::test::read_text;

BlockHeader header_of(util::ByteView bytes) { return BlockHeader::from_bytes(bytes.first<BlockHeader::kSize>()); }
BlockHeader header_of(std::string_view text) { return header_of(hex(text.substr(0, 2 * BlockHeader::kSize))); }

std::vector<BlockHeader> binary_headers(const std::string& path) {
  const auto bytes = read_binary(path);
  std::vector<BlockHeader> headers;
  for (std::size_t at = 0; at + BlockHeader::kSize <= bytes.size(); at += BlockHeader::kSize) {
    headers.push_back(header_of(util::ByteView(bytes).subspan(at)));
  }
  return headers;
}

/// One block or header a line, in hex; lines that begin with `prefix` only.
std::vector<BlockHeader> line_headers(const std::string& path, const std::string& prefix = "") {
  std::istringstream lines(read_text(path));
  std::vector<BlockHeader> headers;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fork = line.starts_with("fork:");
    if (line.empty() || line[0] == '#' || is_fork != (prefix == "fork:")) continue;
    headers.push_back(header_of(std::string_view(line).substr(prefix.size())));
  }
  return headers;
}

/// The network's rules alone: for chains that are valid but not the true one.
NetworkParams without_checkpoints(Network network) {
  NetworkParams copy = params(network);
  copy.checkpoints = {};
  return copy;
}

/// Feeds as a peer would: 2,000 at a time.
std::optional<HeaderError> feed(HeaderChain& chain, std::span<const BlockHeader> headers) {
  constexpr std::size_t kBatch = 2000;
  while (!headers.empty()) {
    const auto batch = headers.first(std::min(kBatch, headers.size()));
    if (const auto error = chain.accept(batch, kLater).error) return error;
    headers = headers.subspan(batch.size());
  }
  return std::nullopt;
}

TEST(HeaderChainVectors, MainnetFromGenesis) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/mainnet_0_8063.bin");
  const auto headers = binary_headers(path);
  MemoryChain memory(params(Network::Main));
  EXPECT_EQ(feed(memory.chain, std::span(headers).subspan(1)), std::nullopt);
  EXPECT_EQ(memory.chain.height(), static_cast<Height>(headers.size()) - 1);
  EXPECT_EQ(memory.chain.tip().hash, headers.back().hash());
  EXPECT_FALSE(memory.chain.has_minimum_work());
}

TEST(HeaderChainVectors, H6_MainnetFromACheckpointWithoutHistory) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/mainnet_822528_828575.bin");
  const auto headers = binary_headers(path);
  MemoryHeaderStore store(822'528, headers[0], 1);
  HeaderChain chain(params(Network::Main), store);
  EXPECT_EQ(feed(chain, std::span(headers).subspan(1)), std::nullopt);
  EXPECT_EQ(chain.tip().hash, headers.back().hash());
  Uint256 work = 1;
  for (const auto& header : std::span(headers).subspan(1)) work = work + work_of_bits(header.bits);
  EXPECT_EQ(chain.work(), work);
}

TEST(HeaderChainVectors, H17_RealForksDoNotMoveTheTip) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/mainnet_822528_forks.json");
  SPV_VECTOR_FILE_OR_SKIP(run_path, "headers/mainnet_822528_828575.bin");
  const auto network = without_checkpoints(Network::Main);
  const auto forks = read_json(path);
  const auto headers = binary_headers(run_path);
  for (const auto& fork : forks.at("forks").as_array()) {
    const auto stale = header_of(fork.at("stale_header").as_string());
    const auto at = static_cast<std::size_t>(fork.at("height").as_int64() - 822'528);
    MemoryHeaderStore store(822'528, headers[0], 1);
    HeaderChain chain(network, store);
    // The stale block first: the run must be returned to.
    feed(chain, std::span(headers).subspan(1, at - 1));
    ASSERT_EQ(chain.accept(std::array{stale}, kLater).error, std::nullopt);
    EXPECT_EQ(util::to_string(chain.tip().hash), fork.at("stale_hash").as_string());
    EXPECT_FALSE(chain.accept(std::array{headers[at]}, kLater).update.tip_changed());
    EXPECT_TRUE(chain.accept(std::array{headers[at + 1]}, kLater).update.is_reorganisation());
    EXPECT_EQ(feed(chain, std::span(headers).subspan(at + 2)), std::nullopt);
    // And after the run: it must be stayed on.
    EXPECT_FALSE(chain.accept(std::array{stale}, kLater).update.tip_changed());
    EXPECT_EQ(chain.tip().hash, headers.back().hash());
  }
}

TEST(HeaderChainVectors, H17_StaleBlocksHaveProofOfWorkAndDoNotConnectToAnotherRun) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/mainnet_stale.csv");
  std::istringstream rows(read_text(path));
  std::string row;
  std::getline(rows, row);
  MemoryChain memory(params(Network::Main));
  while (std::getline(rows, row)) {
    const BlockHeader header = header_of(std::string_view(row).substr(row.rfind(',') + 1));
    EXPECT_TRUE(row.find(util::to_string(header.hash())) != std::string::npos) << row;
    EXPECT_TRUE(check_proof_of_work(header.hash(), header.bits, params(Network::Main))) << row;
    EXPECT_EQ(memory.accept(header).error, HeaderError::Unconnected) << row;
  }
  EXPECT_EQ(memory.chain.height(), 0);
}

TEST(HeaderChainVectors, H14_TheAlternativeMainnetWinsOverLessWorkAndLosesToMore) {
  SPV_VECTOR_FILE_OR_SKIP(path, "blocks/mainnet_alt_1_2016.hex");
  SPV_VECTOR_FILE_OR_SKIP(real_path, "headers/mainnet_0_8063.bin");
  const auto alternative = line_headers(path);
  const auto real = binary_headers(real_path);
  const auto network = without_checkpoints(Network::Main);
  MemoryChain memory(network);
  feed(memory.chain, std::span(real).subspan(1, 2000));
  EXPECT_EQ(feed(memory.chain, alternative), std::nullopt);
  EXPECT_EQ(memory.chain.tip(), (BlockRef{2016, alternative.back().hash()}));
  // 2,016 blocks at difficulty one and one at four: real blocks win at the same work plus one.
  feed(memory.chain, std::span(real).subspan(2001, 18));
  EXPECT_EQ(memory.chain.tip().hash, alternative.back().hash());
  feed(memory.chain, std::span(real).subspan(2019, 2));
  EXPECT_EQ(memory.chain.tip(), (BlockRef{2020, real[2020].hash()}));
}

TEST(HeaderChainVectors, H9_OfTheAlternativeMainnetNothingIsStored) {
  SPV_VECTOR_FILE_OR_SKIP(path, "blocks/mainnet_alt_1_2016.hex");
  SPV_VECTOR_FILE_OR_SKIP(real_path, "headers/mainnet_0_8063.bin");
  const auto alternative = line_headers(path);
  const auto real = binary_headers(real_path);
  MemoryChain memory(params(Network::Main));
  EXPECT_EQ(feed(memory.chain, alternative), HeaderError::CheckpointMismatch);
  EXPECT_EQ(memory.chain.height(), 0);
  EXPECT_EQ(feed(memory.chain, std::span(real).subspan(1)), std::nullopt);
  EXPECT_EQ(memory.chain.tip().hash, real.back().hash());
  EXPECT_TRUE(memory.chain.side_branches().all().empty());
  EXPECT_EQ(feed(memory.chain, alternative), HeaderError::BelowCheckpoint);
}

TEST(HeaderChainVectors, SignetsFirstPeriod) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/signet_0_2015.bin");
  const auto headers = binary_headers(path);
  MemoryChain memory(params(Network::Signet));
  EXPECT_EQ(feed(memory.chain, std::span(headers).subspan(1)), std::nullopt);
  EXPECT_EQ(memory.chain.tip().hash, headers.back().hash());
}

TEST(HeaderChainVectors, Testnet3Blocks) {
  SPV_VECTOR_FILE_OR_SKIP(path, "blocks/testnet3_1_2700.hex");
  const auto headers = line_headers(path);
  const auto network = without_checkpoints(Network::Testnet3);
  MemoryChain memory(network);
  EXPECT_EQ(feed(memory.chain, headers), std::nullopt);
  EXPECT_EQ(memory.chain.tip().hash, headers.back().hash());
}

TEST(HeaderChainVectors, H11_H18_Testnet3CheckpointAndItsForks) {
  SPV_VECTOR_FILE_OR_SKIP(path, "headers/blockheader_testnet3.hex");
  const auto headers = line_headers(path);
  const auto fork = line_headers(path, "fork:");
  MemoryChain memory(params(Network::Testnet3));
  EXPECT_EQ(memory.accept(fork).error, std::nullopt) << "before the checkpoint a fork is a branch like another";
  EXPECT_EQ(feed(memory.chain, headers), std::nullopt);
  EXPECT_EQ(memory.chain.tip().hash, headers.back().hash());
  EXPECT_EQ(memory.chain.height(), params(Network::Testnet3).checkpoints[0].height);
  EXPECT_EQ(memory.accept(fork).error, HeaderError::BelowCheckpoint);
}

/// Every path from the root of the tree to a leaf must be taken by a chain of its own, and by one chain for all.
void walk(const boost::json::value& node, std::vector<BlockHeader> path, MemoryChain& all, std::size_t& leaves) {
  for (const auto& text : node.at("block_headers").as_array()) path.push_back(header_of(text.as_string()));
  const auto* extensions = node.as_object().if_contains("extensions");
  if (extensions != nullptr && !extensions->as_array().empty()) {
    for (const auto& extension : extensions->as_array()) walk(extension, path, all, leaves);
    return;
  }
  MemoryChain alone(all.chain.params());
  const auto above_genesis = std::span(path).subspan(1);
  EXPECT_EQ(feed(alone.chain, above_genesis), std::nullopt);
  EXPECT_EQ(alone.chain.tip().hash, path.back().hash());
  EXPECT_EQ(feed(all.chain, above_genesis), std::nullopt);
  EXPECT_TRUE(all.chain.knows(path.back().hash()));
  EXPECT_GE(all.chain.work(), alone.chain.work());
  ++leaves;
}

TEST(HeaderChainVectors, H5_MainnetAcceptsTheTimewarpsOfBip54) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip54/timestamps.json");
  const auto network = without_checkpoints(Network::Main);
  MemoryChain all(network);
  std::size_t leaves = 0;
  walk(read_json(path), {}, all, leaves);
  EXPECT_GT(leaves, 0U);
}

}  // namespace
}  // namespace spv::chain::test
