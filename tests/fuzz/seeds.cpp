// Writes first inputs for every target into a folder: seeds FOLDER TARGET.... From the public vectors where they are
// (every text and every hex string in them), from what the tests' own builders make, and from a random generator.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include <boost/json.hpp>

#include "p2p/message_reader.h"
#include "tests/p2p/samples.h"
#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "tests/support/vectors.h"
#include "tests/wallet/wallet_samples.h"
#include "util/base64.h"
#include "util/hex.h"
#include "util/rng.h"

namespace {

using namespace spv;
namespace fs = std::filesystem;

constexpr std::size_t kMaxSeedBytes = 4'096;
constexpr std::size_t kMaxSeeds = 2'000;

struct Seeds {
  fs::path folder;
  std::map<std::string, std::size_t> counts;

  void add(const std::string& target, util::ByteView bytes) {
    std::size_t& count = counts[target];
    if (bytes.size() > kMaxSeedBytes || count >= kMaxSeeds) return;
    fs::create_directories(folder / target);
    std::ofstream(folder / target / ("seed-" + std::to_string(count++)), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  void add(const std::string& target, std::initializer_list<std::uint8_t> before, util::ByteView bytes) {
    add(target, util::Writer().bytes(util::Bytes(before)).bytes(bytes).data());
  }
  void add(const std::string& target, std::string_view text) { add(target, util::as_bytes(text)); }
};

void each_string(const boost::json::value& value, const std::function<void(std::string_view)>& use) {
  if (value.is_string()) use(std::string_view(value.as_string()));
  if (value.is_array()) {
    for (const auto& inner : value.as_array()) each_string(inner, use);
  }
  if (value.is_object()) {
    for (const auto& inner : value.as_object()) each_string(inner.value(), use);
  }
}

void add_texts(Seeds& seeds, const char* file) {
  const auto path = test::vector_file(file);
  if (!path) return;
  each_string(test::read_json(*path), [&](std::string_view text) {
    if (text.size() > 1'000 || text.size() < 8) return;
    for (const char* target : {"address", "base58", "bech32", "descriptor", "mnemonic"}) seeds.add(target, text);
    seeds.add("keys", {0}, util::as_bytes(text));
  });
}

void add_hex(Seeds& seeds, const char* file, const std::set<std::string>& targets) {
  const auto path = test::vector_file(file);
  if (!path) return;
  each_string(test::read_json(*path), [&](std::string_view text) {
    const auto bytes = util::from_hex(text);
    if (!bytes || bytes->size() < 20) return;
    for (const auto& target : targets) seeds.add(target, *bytes);
  });
}

void add_psbts(Seeds& seeds, const char* file) {
  const auto path = test::vector_file(file);
  if (!path) return;
  each_string(test::read_json(*path), [&](std::string_view text) {
    const auto bytes = util::from_base64(text);
    if (!bytes || bytes->size() < 20) return;
    for (const char* target : {"psbt_parse", "psbt_roles"}) seeds.add(target, *bytes);
  });
}

void add_headers(Seeds& seeds, const char* file) {
  const auto path = test::vector_file(file);
  if (!path) return;
  const auto bytes = test::read_binary(*path);
  for (std::size_t i = 0; i < 20; ++i)
    seeds.add("header", util::ByteView(bytes).subspan(400 * 80 * i % bytes.size(), 80));
  util::Writer out;
  out.compact_size(12);
  for (std::size_t i = 1; i <= 12; ++i) out.bytes(util::ByteView(bytes).subspan(80 * i, 80)).integer(std::uint8_t{0});
  seeds.add("headers", out.data());
}

void add_messages(Seeds& seeds) {
  for (const auto& message : p2p::test::all_messages()) {
    const auto payload = p2p::encode_payload(message);
    const std::string command(p2p::command_of(message));
    seeds.add(command, payload);
    for (std::uint8_t i = 0; i < 21; ++i) seeds.add("messages", {i}, payload);
    const auto frame = p2p::encode_frame(p2p::test::kMagic, message);
    seeds.add("frames", {40, 0}, frame);
    for (std::uint8_t mode = 0; mode < 4; ++mode) seeds.add("v2_transport", {mode, 10, 0}, payload);
  }
}

void add_blocks(Seeds& seeds) {
  test::ChainBuilder chain;
  for (std::uint64_t i = 0; i < 12; ++i) {
    std::vector<chain::Transaction> txs;
    for (std::uint64_t n = 0; n < i; ++n) {
      test::TxBuilder builder(100 * i + n);
      builder.pays(test::p2wpkh(util::Bytes(20, static_cast<std::uint8_t>(n))), 5).pays(test::op_true(), 1);
      if (n % 2 == 0) builder.spends(test::outpoint(test::TxBuilder(n).build())).witness(util::Bytes(20, 1));
      txs.push_back(builder.build());
    }
    chain.block(txs);
    const auto& block = chain.tip_block();
    seeds.add("block", util::ByteView(block.serialize()).subspan(80));
    for (const auto& tx : block.txs) seeds.add("tx", tx.serialize());
    std::vector<bool> marks;
    for (std::uint64_t n = 0; n < block.txs.size(); ++n) marks.push_back((n * 7 + i) % 3 == 0);
    const auto tree = bip37::build_partial_tree(block.txids, marks);
    seeds.add("merkleblock", p2p::encode_payload(p2p::MerkleBlock{block.header, tree}));
    bip37::BloomFilter filter({.bytes = 1 + 3 * i, .hash_funcs = static_cast<std::uint32_t>(1 + i)}, 7,
                              static_cast<bip37::UpdateFlags>(i % 3));
    util::Writer out;
    filter.encode(out);
    const auto tx = block.txs.back().serialize();
    util::Writer bloom;
    bloom.integer(static_cast<std::uint16_t>(out.data().size())).bytes(out.data());
    bloom.integer(std::uint8_t{2}).integer(std::uint8_t{20}).bytes(util::Bytes(20, static_cast<std::uint8_t>(i - 1)));
    bloom.integer(std::uint8_t{0}).integer(static_cast<std::uint8_t>(tx.size())).bytes(tx);
    seeds.add("bloom", bloom.data());
  }
}

void add_plain_texts(Seeds& seeds) {
  for (const char* text :
       {"connect=127.0.0.1:8333\n[regtest]\nconnect = node # the one\n", "[main]\n-fp-rate=0.001\njson=1",
        "# nothing\n\n[test]\nwallet=a b\n", "descriptor=wpkh(x)#abcdefgh\n", "a=b=c\r\n = \n"}) {
    seeds.add("config", text);
  }
  for (const char* text :
       {"balance", "--regtest\nsync\n--connect\n127.0.0.1:18444\n--follow", "help\nfilter\nadd", "--json\n--version",
        "-regtest\nwatch\n--address\nx\n--birthday\n2020-01-01", "filter\ncreate\n--elements\n5\n--fp-rate\n0.1\nf",
        "restore\n--mnemonic-file\n-\n--script\nall\n--account\n3", "history\n--limit\n-1", "rescan\n--from\n5",
        "create\n--words\n24\n--gap-limit\n30\n--encrypt", "proof\nabc", "address\n--new\n--qr",
        "--network\nmoon\nlist"}) {
    seeds.add("options", text);
  }
  const std::string key = std::string(test::kXpub) + "/<0;1>/*";
  for (const auto& text :
       {"wpkh(" + key + ")", "tr([01020304/86h/0h/0h]" + key + ")", "wsh(sortedmulti(1," + key + "," + key + "))",
        "sh(wpkh(" + key + "))", std::string("raw(6a)"), "wsh(multi(2," + key + "," + key + "))"}) {
    seeds.add("descriptor", text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Seeds seeds{.folder = argc > 1 ? argv[1] : "seeds", .counts = {}};
  for (const char* file :
       {"core/key_io_valid.json", "core/key_io_invalid.json", "bip173/bech32.json", "bip350/bech32m.json",
        "bip32/bip32.json", "bip39/trezor_vectors.json", "bip84/bip84.json", "bip49/bip49.json",
        "descriptors/desc-valid.json", "descriptors/desc-invalid.json", "descriptors/desc-addresses.json"}) {
    add_texts(seeds, file);
  }
  add_plain_texts(seeds);
  add_messages(seeds);
  add_blocks(seeds);
  add_headers(seeds, "headers/mainnet_0_8063.bin");
  add_headers(seeds, "headers/signet_0_2015.bin");
  add_hex(seeds, "core/tx_valid.json", {"tx"});
  add_hex(seeds, "core/tx_invalid.json", {"tx"});
  add_hex(seeds, "merkle/derived_malicious.json", {"merkleblock"});
  add_hex(seeds, "bip37/core_bloom.json", {"merkleblock", "tx"});
  add_hex(seeds, "p2p/valid_messages.json",
          {"version", "inv", "addr", "addrv2", "headers", "tx", "merkleblock", "getheaders", "blocktxn"});
  add_hex(seeds, "p2p/hostile_messages.json",
          {"version", "inv", "addr", "addrv2", "headers", "tx", "merkleblock", "getheaders", "blocktxn"});
  for (const char* file : {"psbt/bip174.json", "psbt/bip370.json", "psbt/bip371.json", "psbt/rpc_psbt.json"}) {
    add_psbts(seeds, file);
  }
  util::Rng rng(std::uint64_t{1});
  for (int i = 2; i < argc; ++i) {
    for (std::size_t n = 0; n < 24; ++n) seeds.add(argv[i], rng.bytes(1 + rng.below(16ULL << (n % 6))));
  }
  return 0;
}
