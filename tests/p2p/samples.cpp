#include "tests/p2p/samples.h"

#include <algorithm>

#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"
#include "util/hex.h"

namespace spv::p2p::test {

util::Bytes hex(std::string_view text) {
  auto bytes = util::from_hex(text);
  util::ensure(bytes.has_value(), "bad hex in a test");
  return std::move(*bytes);
}

Version peer_version(std::uint64_t nonce) {
  Version version;
  version.services = services::kNetwork | services::kBloom | services::kWitness;
  version.time = 1'700'000'000;
  version.receiver.ip[15] = 1;
  version.sender.port = 18444;
  version.nonce = nonce;
  version.user_agent = "/Satoshi:29.0.0/";
  version.start_height = 250;
  return version;
}

chain::Transaction payment() {
  chain::Transaction tx;
  tx.inputs.emplace_back();
  tx.inputs[0].previous.txid.bytes.fill(7);
  tx.inputs[0].script_sig = {0x51};
  tx.outputs.push_back({.value = 5'000, .script_pubkey = util::Bytes(22, 0x14)});
  return tx;
}

std::vector<Message> all_messages() {
  const InventoryItem item{.type = InventoryType::FilteredBlock, .hash = util::sha256({})};
  chain::BlockHeader header;
  header.version = 0x2000'0000;
  header.time = 1'700'000'000;
  header.bits = 0x207F'FFFF;
  const chain::BlockHash hash = header.hash();
  bip37::PartialMerkleTree tree;
  tree.transactions = 1;
  tree.hashes = {util::sha256({})};
  tree.flags = {1};
  bip37::BloomFilter filter({.bytes = 16, .hash_funcs = 5}, 99, bip37::UpdateFlags::All);
  filter.insert(util::as_bytes("element"));
  TimedAddress address;
  address.time = 1'700'000'000;
  address.address.port = 8333;
  const auto witness_tx = [] {
    auto tx = payment();
    tx.inputs[0].witness = {util::Bytes(71, 0x30), util::Bytes(33, 0x02)};
    return tx;
  }();
  util::Writer body;
  body.compact_size(2);
  payment().encode(body);
  witness_tx.encode(body);
  const AddressV2 onion{1'700'000'000, services::kNetwork, AddressNetwork::TorV3, util::Bytes(32, 9), 8333};
  const AddressV2 unheard_of{1'700'000'000, 0, static_cast<AddressNetwork>(0xAA), util::Bytes(7, 1), 1};
  const FilterRange range{0, 100, hash};
  return {peer_version(),
          Verack{},
          Ping{0x0123'4567'89AB'CDEF},
          Pong{42},
          GetHeaders{kProtocolVersion, {hash, hash}, hash},
          Headers{{header, header}},
          SendHeaders{},
          Inv{{item, item}},
          GetData{{item}},
          NotFound{{item}},
          Tx{payment()},
          MerkleBlock{header, tree},
          FilterLoad{filter},
          FilterClear{},
          FeeFilter{1'000},
          Mempool{},
          GetAddr{},
          Addr{{address, address}},
          SendAddrV2{},
          AddrV2{{onion, unheard_of}},
          Block::owning(header, body.take()),
          GetBlockTxn{hash, {0, 1, 7, 65'535}},
          BlockTxn{hash, {payment(), witness_tx}},
          GetCFilters{range},
          CFilter{0, hash, util::Bytes(20, 5)},
          GetCFHeaders{range},
          CFHeaders{0,
                    hash,
                    util::retag<util::FilterHeader>(util::sha256({})),
                    {util::retag<util::FilterHash>(util::sha256({})), {}}},
          GetCFCheckpt{0, hash},
          CFCheckpt{0, hash, {util::retag<util::FilterHeader>(util::sha256({}))}}};
}

util::Bytes raw_frame(std::string_view command, util::ByteView payload) {
  std::array<std::uint8_t, kCommandBytes> field{};
  std::copy(command.begin(), command.end(), field.begin());
  util::Writer out;
  out.bytes(kMagic).bytes(field).integer(static_cast<std::uint32_t>(payload.size()));
  out.bytes(util::sha256d(payload).view().first(4)).bytes(payload);
  return out.take();
}

Message kept(Message message) {
  if (auto* block = std::get_if<Block>(&message)) *block = Block::owning(block->header, util::to_bytes(block->body));
  return message;
}

Outcome read_all(MessageReader& reader) {
  Outcome outcome;
  while (true) {
    auto next = reader.next();
    if (!next) {
      outcome.error = next.error();
      return outcome;
    }
    if (!*next) return outcome;
    outcome.messages.push_back(kept(std::move(**next)));
  }
}

Outcome read_stream(util::ByteView bytes) {
  MessageReader reader(kMagic);
  reader.feed(bytes);
  return read_all(reader);
}

}  // namespace spv::p2p::test
