#include "chain/params.h"

#include "chain/checkpoints.h"
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
          .checkpoints = built_in_checkpoints(Network::Main),
          .start_points = built_in_start_points(Network::Main),
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
          .checkpoints = built_in_checkpoints(Network::Testnet3),
          .start_points = built_in_start_points(Network::Testnet3),
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
          .checkpoints = built_in_checkpoints(Network::Testnet4),
          .start_points = built_in_start_points(Network::Testnet4),
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
          .checkpoints = built_in_checkpoints(Network::Signet),
          .start_points = built_in_start_points(Network::Signet),
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
          .checkpoints = built_in_checkpoints(Network::Regtest),
          .start_points = built_in_start_points(Network::Regtest),
          .p2pkh_prefix = 111,
          .p2sh_prefix = 196,
          .wif_prefix = 239,
          .xpub_version = 0x043587CF,
          .xprv_version = 0x04358394,
          .bech32_hrp = "bcrt",
          .bip44_coin_type = 1,
          .stale_tip_seconds = 0,
          .halving_interval = 150};
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
