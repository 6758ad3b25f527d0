#include "chain/params.h"

#include "util/ensure.h"

namespace spv::chain {
namespace {

BlockHash block_hash(std::string_view display_hex) {
  const auto hash = util::parse_hash<BlockHash>(display_hex);
  util::ensure(hash.has_value(), "a block hash in the parameters is not hex");
  return *hash;
}

Uint256 number(std::string_view hex) {
  const auto value = Uint256::from_hex(hex);
  util::ensure(value.has_value(), "a number in the parameters is not hex");
  return *value;
}

BlockHeader genesis_header(std::string_view merkle_root, std::uint32_t time, std::uint32_t bits, std::uint32_t nonce) {
  return {.version = 1,
          .previous = {},
          .merkle_root = util::retag<MerkleRoot>(block_hash(merkle_root)),
          .time = time,
          .bits = bits,
          .nonce = nonce};
}

constexpr std::array kMainSeeds = {std::string_view("dnsseed.bluematt.me"),
                                   std::string_view("seed.bitcoin.jonasschnelli.ch"),
                                   std::string_view("seed.btc.petertodd.net"),
                                   std::string_view("seed.bitcoin.sprovoost.nl"),
                                   std::string_view("dnsseed.emzy.de"),
                                   std::string_view("seed.bitcoin.wiz.biz"),
                                   std::string_view("seed.mainnet.achownodes.xyz")};
constexpr std::array kTestnet3Seeds = {
    std::string_view("testnet-seed.bitcoin.jonasschnelli.ch"), std::string_view("seed.tbtc.petertodd.net"),
    std::string_view("testnet-seed.bluematt.me"), std::string_view("seed.testnet.achownodes.xyz")};
constexpr std::array kTestnet4Seeds = {std::string_view("seed.testnet4.bitcoin.sprovoost.nl"),
                                       std::string_view("seed.testnet4.wiz.biz")};
constexpr std::array kSignetSeeds = {std::string_view("seed.signet.bitcoin.sprovoost.nl"),
                                     std::string_view("seed.signet.achownodes.xyz")};

// The genesis transaction is the same everywhere but on testnet4.
constexpr std::string_view kGenesisRoot = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
constexpr std::string_view kTestnet4GenesisRoot = "7aa0a7ae1e223414cb807e40cd57e667b718e42aaf9306db9102fe28912b7b4e";

std::span<const Checkpoint> main_checkpoints() {
  static const std::array kCheckpoints = {
      Checkpoint{.height = 11'111,
                 .hash = block_hash("0000000069e244f73d78e8fd29ba2fd2ed618bd6fa2ee92559f542fdb26e7c1d")},
      Checkpoint{.height = 33'333,
                 .hash = block_hash("000000002dd5588a74784eaa7ab0507a18ad16a236e7b1ce69f00d7ddfb5d0a6")},
      Checkpoint{.height = 74'000,
                 .hash = block_hash("0000000000573993a3c9e41ce34471c079dcf5f52a0e824a81e7f953b8661a20")},
      Checkpoint{.height = 105'000,
                 .hash = block_hash("00000000000291ce28027faea320c8d2b054b2e0fe44a773f3eefb151d6bdc97")},
      Checkpoint{.height = 134'444,
                 .hash = block_hash("00000000000005b12ffd4cd315cd34ffd4a594f430ac814c91184a0d42d2b0fe")},
      Checkpoint{.height = 168'000,
                 .hash = block_hash("000000000000099e61ea72015e79632f216fe6cb33d7899acb35b75c8303b763")},
      Checkpoint{.height = 193'000,
                 .hash = block_hash("000000000000059f452a5f7340de6682a977387c17010ff6e6c3bd83ca8b1317")},
      Checkpoint{.height = 210'000,
                 .hash = block_hash("000000000000048b95347e83192f69cf0366076336c639f9b7228e9ba171342e")},
      Checkpoint{.height = 216'116,
                 .hash = block_hash("00000000000001b4f4b433e81ee46494af945cf96014816a4e2370f11b23df4e")},
      Checkpoint{.height = 225'430,
                 .hash = block_hash("00000000000001c108384350f74090433e7fcf79a606b8e797f065b130575932")},
      Checkpoint{.height = 250'000,
                 .hash = block_hash("000000000000003887df1f29024b06fc2200b55f8af8f35453d7be294df2d214")},
      Checkpoint{.height = 279'000,
                 .hash = block_hash("0000000000000001ae8c72a0b0c301f67e3afca10e819efa9041e458e9bd7e40")},
      Checkpoint{.height = 295'000,
                 .hash = block_hash("00000000000000004d9b4ef50f0f9d686fd69db2e03af35a100370c64632a983")},
  };
  return kCheckpoints;
}

std::span<const Checkpoint> testnet3_checkpoints() {
  static const std::array kCheckpoints = {
      Checkpoint{.height = 546, .hash = block_hash("000000002a936ca763904c3c35fce2f3556c559c0214345d31b1bcebf76acb70")},
  };
  return kCheckpoints;
}

NetworkParams make_mainnet() {
  return {.network = Network::Main,
          .name = "main",
          .magic = {0xF9, 0xBE, 0xB4, 0xD9},
          .default_port = 8333,
          .dns_seeds = kMainSeeds,
          .genesis = genesis_header(kGenesisRoot, 1'231'006'505, 0x1D00FFFF, 2'083'236'893),
          .genesis_hash = block_hash("000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"),
          .pow_limit_bits = 0x1D00FFFF,
          .pow_limit = number("00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
          .allow_min_difficulty_blocks = false,
          .no_retargeting = false,
          .enforce_bip94 = false,
          .minimum_chain_work = number("1128750f82f4c366153a3a030"),
          .bip34_height = 227'931,
          .bip66_height = 363'725,
          .bip65_height = 388'381,
          .checkpoints = main_checkpoints(),
          .p2pkh_prefix = 0,
          .p2sh_prefix = 5,
          .wif_prefix = 128,
          .xpub_version = 0x0488B21E,
          .xprv_version = 0x0488ADE4,
          .bech32_hrp = "bc",
          .bip44_coin_type = 0};
}

NetworkParams make_testnet3() {
  return {.network = Network::Testnet3,
          .name = "testnet",
          .magic = {0x0B, 0x11, 0x09, 0x07},
          .default_port = 18333,
          .dns_seeds = kTestnet3Seeds,
          .genesis = genesis_header(kGenesisRoot, 1'296'688'602, 0x1D00FFFF, 414'098'458),
          .genesis_hash = block_hash("000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"),
          .pow_limit_bits = 0x1D00FFFF,
          .pow_limit = number("00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
          .allow_min_difficulty_blocks = true,
          .no_retargeting = false,
          .enforce_bip94 = false,
          .minimum_chain_work = number("17dde1c649f3708d14b6"),
          .bip34_height = 21'111,
          .bip66_height = 330'776,
          .bip65_height = 581'885,
          .checkpoints = testnet3_checkpoints(),
          .p2pkh_prefix = 111,
          .p2sh_prefix = 196,
          .wif_prefix = 239,
          .xpub_version = 0x043587CF,
          .xprv_version = 0x04358394,
          .bech32_hrp = "tb",
          .bip44_coin_type = 1};
}

NetworkParams make_testnet4() {
  return {.network = Network::Testnet4,
          .name = "testnet4",
          .magic = {0x1C, 0x16, 0x3F, 0x28},
          .default_port = 48333,
          .dns_seeds = kTestnet4Seeds,
          .genesis = genesis_header(kTestnet4GenesisRoot, 1'714'777'860, 0x1D00FFFF, 393'743'547),
          .genesis_hash = block_hash("00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043"),
          .pow_limit_bits = 0x1D00FFFF,
          .pow_limit = number("00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
          .allow_min_difficulty_blocks = true,
          .no_retargeting = false,
          .enforce_bip94 = true,
          .minimum_chain_work = number("9a0fe15d0177d086304"),
          .bip34_height = 1,
          .bip66_height = 1,
          .bip65_height = 1,
          .checkpoints = {},
          .p2pkh_prefix = 111,
          .p2sh_prefix = 196,
          .wif_prefix = 239,
          .xpub_version = 0x043587CF,
          .xprv_version = 0x04358394,
          .bech32_hrp = "tb",
          .bip44_coin_type = 1};
}

NetworkParams make_signet() {
  return {.network = Network::Signet,
          .name = "signet",
          .magic = {0x0A, 0x03, 0xCF, 0x40},
          .default_port = 38333,
          .dns_seeds = kSignetSeeds,
          .genesis = genesis_header(kGenesisRoot, 1'598'918'400, 0x1E0377AE, 52'613'770),
          .genesis_hash = block_hash("00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6"),
          .pow_limit_bits = 0x1E0377AE,
          .pow_limit = number("00000377ae000000000000000000000000000000000000000000000000000000"),
          .allow_min_difficulty_blocks = false,
          .no_retargeting = false,
          .enforce_bip94 = false,
          .minimum_chain_work = number("b463ea0a4b8"),
          .bip34_height = 1,
          .bip66_height = 1,
          .bip65_height = 1,
          .checkpoints = {},
          .p2pkh_prefix = 111,
          .p2sh_prefix = 196,
          .wif_prefix = 239,
          .xpub_version = 0x043587CF,
          .xprv_version = 0x04358394,
          .bech32_hrp = "tb",
          .bip44_coin_type = 1};
}

NetworkParams make_regtest() {
  return {.network = Network::Regtest,
          .name = "regtest",
          .magic = {0xFA, 0xBF, 0xB5, 0xDA},
          .default_port = 18444,
          .dns_seeds = {},
          .genesis = genesis_header(kGenesisRoot, 1'296'688'602, 0x207FFFFF, 2),
          .genesis_hash = block_hash("0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"),
          .pow_limit_bits = 0x207FFFFF,
          .pow_limit = number("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
          .allow_min_difficulty_blocks = true,
          .no_retargeting = true,
          .enforce_bip94 = false,
          .minimum_chain_work = number("0"),
          .bip34_height = 1,
          .bip66_height = 1,
          .bip65_height = 1,
          .checkpoints = {},
          .p2pkh_prefix = 111,
          .p2sh_prefix = 196,
          .wif_prefix = 239,
          .xpub_version = 0x043587CF,
          .xprv_version = 0x04358394,
          .bech32_hrp = "bcrt",
          .bip44_coin_type = 1};
}

const std::array<NetworkParams, 5>& all_params() {
  static const std::array<NetworkParams, 5> kAll = {make_mainnet(), make_testnet3(), make_testnet4(), make_signet(),
                                                    make_regtest()};
  return kAll;
}

}  // namespace

const NetworkParams& params(Network network) { return all_params()[static_cast<std::size_t>(network)]; }

std::optional<Network> parse_network(std::string_view name) {
  for (const auto& known : all_params()) {
    if (known.name == name) return known.network;
  }
  return std::nullopt;
}

}  // namespace spv::chain
