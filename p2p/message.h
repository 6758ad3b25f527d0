// Every message that an SPV client sends or understands: one struct a message, one variant over all.
// Decoding is strict: canonical counts, bounds, nothing left over, nothing allocated beyond what came.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bip37/bloom_filter.h"
#include "bip37/partial_merkle_tree.h"
#include "chain/block_header.h"
#include "chain/transaction.h"
#include "p2p/address_messages.h"
#include "p2p/block_messages.h"
#include "p2p/compact_filter_messages.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::p2p {

inline constexpr std::int32_t kProtocolVersion = 70016;
/// BIP37 begins here; older peers cannot filter.
inline constexpr std::int32_t kMinPeerVersion = 70001;
inline constexpr std::size_t kMaxPayloadBytes = 4'000'000;
inline constexpr std::size_t kMaxHeaders = 2'000;
inline constexpr std::size_t kMaxInventory = 50'000;
inline constexpr std::size_t kMaxLocator = 101;
inline constexpr std::size_t kMaxUserAgentBytes = 256;

namespace services {
inline constexpr std::uint64_t kNetwork = 1U << 0U;
inline constexpr std::uint64_t kBloom = 1U << 2U;
inline constexpr std::uint64_t kWitness = 1U << 3U;
inline constexpr std::uint64_t kCompactFilters = 1U << 6U;
inline constexpr std::uint64_t kNetworkLimited = 1U << 10U;
inline constexpr std::uint64_t kP2pV2 = 1U << 11U;
}  // namespace services

enum class InventoryType : std::uint32_t {
  Error = 0,
  Tx = 1,
  Block = 2,
  FilteredBlock = 3,
  CompactBlock = 4,
  WitnessTx = 0x4000'0001,
  WitnessBlock = 0x4000'0002,
};
struct InventoryItem {
  static constexpr std::size_t kSize = 36;
  InventoryType type = InventoryType::Error;
  util::Hash256 hash;
  friend bool operator==(const InventoryItem&, const InventoryItem&) = default;
};

struct Version {
  static constexpr std::string_view kCommand = "version";
  std::int32_t version = kProtocolVersion;
  std::uint64_t services = 0;
  std::int64_t time = 0;
  NetworkAddress receiver;
  NetworkAddress sender;
  std::uint64_t nonce = 0;
  std::string user_agent;
  std::int32_t start_height = 0;
  bool relay = true;
  friend bool operator==(const Version&, const Version&) = default;
};
struct Verack {
  static constexpr std::string_view kCommand = "verack";
  friend bool operator==(const Verack&, const Verack&) = default;
};
struct Ping {
  static constexpr std::string_view kCommand = "ping";
  std::uint64_t nonce = 0;
  friend bool operator==(const Ping&, const Ping&) = default;
};
struct Pong {
  static constexpr std::string_view kCommand = "pong";
  std::uint64_t nonce = 0;
  friend bool operator==(const Pong&, const Pong&) = default;
};
struct GetHeaders {
  static constexpr std::string_view kCommand = "getheaders";
  std::uint32_t version = kProtocolVersion;
  std::vector<chain::BlockHash> locator;
  chain::BlockHash stop;
  friend bool operator==(const GetHeaders&, const GetHeaders&) = default;
};
struct Headers {
  static constexpr std::string_view kCommand = "headers";
  std::vector<chain::BlockHeader> headers;
  friend bool operator==(const Headers&, const Headers&) = default;
};
struct SendHeaders {
  static constexpr std::string_view kCommand = "sendheaders";
  friend bool operator==(const SendHeaders&, const SendHeaders&) = default;
};
struct Inv {
  static constexpr std::string_view kCommand = "inv";
  std::vector<InventoryItem> items;
  friend bool operator==(const Inv&, const Inv&) = default;
};
struct GetData {
  static constexpr std::string_view kCommand = "getdata";
  std::vector<InventoryItem> items;
  friend bool operator==(const GetData&, const GetData&) = default;
};
struct NotFound {
  static constexpr std::string_view kCommand = "notfound";
  std::vector<InventoryItem> items;
  friend bool operator==(const NotFound&, const NotFound&) = default;
};
struct Tx {
  static constexpr std::string_view kCommand = "tx";
  chain::Transaction transaction;
  /// The txid where the frame gave it for free: a v1 checksum is the start of it, so the reader has hashed already.
  std::optional<chain::Txid> known_txid{};

  /// The known txid, else computed.
  [[nodiscard]] chain::Txid txid() const { return known_txid ? *known_txid : transaction.txid(); }
  friend bool operator==(const Tx& a, const Tx& b) { return a.transaction == b.transaction; }
};
struct MerkleBlock {
  static constexpr std::string_view kCommand = "merkleblock";
  chain::BlockHeader header;
  bip37::PartialMerkleTree tree;
  /// As it came, where something matched: this is what a wallet keeps as its proof.
  util::Bytes payload{};
  friend bool operator==(const MerkleBlock& a, const MerkleBlock& b) {
    return a.header == b.header && a.tree == b.tree;
  }
};
struct FilterLoad {
  static constexpr std::string_view kCommand = "filterload";
  bip37::BloomFilter filter;
  friend bool operator==(const FilterLoad&, const FilterLoad&) = default;
};
struct FilterClear {
  static constexpr std::string_view kCommand = "filterclear";
  friend bool operator==(const FilterClear&, const FilterClear&) = default;
};
struct FeeFilter {
  static constexpr std::string_view kCommand = "feefilter";
  std::int64_t sat_per_kvb = 0;
  friend bool operator==(const FeeFilter&, const FeeFilter&) = default;
};
struct Mempool {
  static constexpr std::string_view kCommand = "mempool";
  friend bool operator==(const Mempool&, const Mempool&) = default;
};
/// A command that we do not know; its payload is not kept.
struct Unknown {
  std::string command;            // as printable() gives it
  std::size_t payload_bytes = 0;  // how much it cost to read it; what it is does not depend on that
  friend bool operator==(const Unknown& a, const Unknown& b) { return a.command == b.command; }
};

using Message =
    std::variant<Version, Verack, Ping, Pong, GetHeaders, Headers, SendHeaders, Inv, GetData, NotFound, Tx, MerkleBlock,
                 FilterLoad, FilterClear, FeeFilter, Mempool, GetAddr, Addr, SendAddrV2, AddrV2, Block, GetBlockTxn,
                 BlockTxn, GetCFilters, CFilter, GetCFHeaders, CFHeaders, GetCFCheckpt, CFCheckpt, Unknown>;

/// Why bytes are no message.
enum class DecodeError {
  WrongMagic,
  Oversized,
  BadChecksum,
  Malformed,       // a payload that does not decode, or has bytes left over
  SpeaksV1,        // v2 only: the peer opened with a v1 version
  NoHandshake,     // v2 only: the garbage does not end
  Unauthentic,     // v2 only: a packet was forged, or the peer has other keys
  OtherNetwork,    // the peer is a node of another of our networks
  ForeignHeaders,  // headers longer than Bitcoin's: the peer is on a chain with another proof of work
};
std::string_view to_string(DecodeError error);

std::string_view command_of(const Message& message);
util::Bytes encode_payload(const Message& message);
/// As it came, where it came from a peer and something matched; else encoded.
util::Bytes payload_of(MerkleBlock&& message);
/// An unknown command gives Unknown; a known one that does not decode gives Malformed. `digest` is sha256d(payload)
/// where the caller has it; a transaction without witness then knows its txid.
util::Expected<Message, DecodeError> decode_payload(std::string_view command, util::ByteView payload,
                                                    const util::Hash256* digest = nullptr);
/// Text from a peer, safe on a terminal and in a log: what is not printable ASCII becomes \xNN, and so does a
/// backslash.
std::string printable(std::string_view text);

}  // namespace spv::p2p
