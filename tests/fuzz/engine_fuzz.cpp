// The whole client against several nodes, one of them honest. The others lose, repeat, reorder, change and invent
// messages as the input says; headers keep their proof of work, so that what they invent gets past the first check.
// Nothing may crash or hang, and once the honest node has the most work the wallet is what its chain says (E10, G-6).
#include "tests/fuzz/fuzz.h"
#include "tests/support/scripts.h"
#include "tests/support/simulation.h"
#include "tests/support/tx_builder.h"
#include "tests/support/wallet_oracle.h"

namespace {

using namespace spv;
using test::ChainBuilder;
using test::milliseconds;
using test::seconds;
using test::Simulation;
using test::TxBuilder;

constexpr std::uint32_t kGapLimit = 2;

util::Bytes own_script(std::uint32_t index) {
  static const auto config = test::simulation_wallet(kGapLimit, 1);
  return config.key_chains[index % 2].descriptor.script_at(index / 2).value();
}

// Payments to the wallet, spends of them, and blocks of strangers.
const ChainBuilder& base_chain() {
  static const ChainBuilder chain = [] {
    ChainBuilder out;
    out.blocks(3);
    const auto first = TxBuilder(std::uint64_t{1}).pays(own_script(0), 1'000).build();
    const auto second = TxBuilder(std::uint64_t{2}).spends(first).pays(own_script(3), 900).build();
    const auto third = TxBuilder(std::uint64_t{3}).pays(test::op_true(), 7).pays(own_script(6), 50).build();
    out.block({first, TxBuilder(std::uint64_t{4}).build()}).blocks(2).block({second}).block({third}).blocks(4);
    return out;
  }();
  return chain;
}

chain::Height some_height(fuzz::Input& input) {
  return static_cast<chain::Height>(input.below(static_cast<std::size_t>(base_chain().height()) + 1));
}

chain::Transaction loose_tx(fuzz::Input& input) {
  TxBuilder builder(std::uint64_t{100} + input.byte());
  if (input.chance()) builder.spends(test::outpoint(base_chain().block(4).txs[1]));
  return builder.pays(own_script(input.byte() % 12U), 1 + input.byte()).build();
}

// Headers of real work on any block of the chain; where the input says so one of them is bent first.
p2p::Headers invented_headers(fuzz::Input& input) {
  p2p::Headers out;
  chain::BlockHeader parent = base_chain().header(some_height(input));
  for (std::size_t n = 1 + input.below(6); n > 0; --n) {
    chain::BlockHeader next = parent;
    next.previous = parent.hash();
    next.merkle_root.bytes[0] = input.byte();
    next.time += input.chance() ? 600U : input.word();
    test::mine(next);
    out.headers.push_back(next);
    parent = next;
  }
  return out;
}

// A message from bytes of the input. Not a proof or a block: a made-up count could hide a transaction, which only the
// comparison of two peers finds (M14).
std::optional<p2p::Message> raw_message(fuzz::Input& input) {
  constexpr std::array<std::string_view, 12> kCommands{"version", "verack", "ping", "pong",   "headers",   "inv",
                                                       "getdata", "tx",     "addr", "addrv2", "feefilter", "notfound"};
  const auto command = kCommands[input.below(kCommands.size())];
  auto message = p2p::decode_payload(command, input.piece());
  if (!message) return std::nullopt;
  return std::move(*message);
}

std::optional<p2p::Message> invented(fuzz::Input& input) {
  const auto& chain = base_chain();
  switch (input.byte() % 6) {
    case 0:
      return invented_headers(input);
    case 1:
      return p2p::Tx{loose_tx(input)};
    case 2: {
      p2p::Inv inv;
      inv.items.push_back({p2p::InventoryType::Tx, util::retag<util::Hash256>(loose_tx(input).txid())});
      const auto& block = chain.block(some_height(input));
      inv.items.push_back({p2p::InventoryType::Block, util::retag<util::Hash256>(block.hash)});
      return inv;
    }
    case 3: {  // an honest proof that nobody asked for
      const auto& block = chain.block(some_height(input));
      return p2p::MerkleBlock{block.header,
                              bip37::build_partial_tree(block.txids, std::vector<bool>(block.txids.size(), true))};
    }
    default:
      return raw_message(input);
  }
}

// Changes some bytes of a payload; nothing if that is no message any more.
std::optional<p2p::Message> bent(const p2p::Message& message, fuzz::Input& input) {
  auto payload = p2p::encode_payload(message);
  if (payload.empty()) return std::nullopt;
  payload[input.word() % payload.size()] ^= input.byte();
  auto again = p2p::decode_payload(p2p::command_of(message), payload);
  if (!again) return std::nullopt;
  if (auto* block = std::get_if<p2p::Block>(&*again)) {
    *block = p2p::Block::owning(block->header, util::to_bytes(block->body));
  }
  if (auto* headers = std::get_if<p2p::Headers>(&*again)) {
    for (auto& header : headers->headers) {
      header.bits = chain::params(chain::Network::Regtest).pow_limit_bits;
      test::mine(header);
    }
  }
  return std::move(*again);
}

void disturb(test::Reply& reply, fuzz::Input& input) {
  test::Messages out;
  for (auto& message : reply.messages) {
    const std::uint8_t what = input.byte();
    if (what >= 0xC0) {
      if (auto more = invented(input)) out.push_back(std::move(*more));
    }
    switch (what % 16) {
      case 1:
        break;  // lost
      case 2:
        out.push_back(message);
        out.push_back(std::move(message));
        break;
      case 3:
      case 4:
        if (auto changed = bent(message, input)) out.push_back(std::move(*changed));
        break;
      case 5:
        out.insert(out.begin(), std::move(message));
        break;
      default:
        out.push_back(std::move(message));
        break;
    }
  }
  if (input.byte() == 0xFF) reply.closed = true;
  reply.messages = std::move(out);
}

}  // namespace

SPV_FUZZ_TARGET(engine, input) {
  fuzz::Input rest(input);
  test::SimulationOptions options{.seed = 1, .gap_limit = kGapLimit};
  options.source.mode =
      std::array{sync::SourceMode::Filter, sync::SourceMode::Blocks, sync::SourceMode::Auto}[rest.below(3)];
  options.source.max_download = 1'000'000'000;
  options.cross_check = rest.chance() ? sync::CrossCheckMode::Sample : sync::CrossCheckMode::Off;
  if (rest.chance()) options.mempool_wait = seconds(3);
  Simulation sim(options);
  sim.add_node(base_chain());
  for (std::size_t n = 1 + rest.below(3); n > 0; --n) {
    auto& node = sim.add_node(base_chain());
    node.fake.add_to_mempool(loose_tx(rest));
    node.fake.add_fault([&rest](test::Reply& reply) { disturb(reply, rest); });
  }
  ChainBuilder honest = base_chain();
  for (int round = 0; round < 4 && !rest.empty(); ++round) {
    const std::uint8_t what = rest.byte();
    if ((what & 1U) != 0) honest.block({TxBuilder(std::uint64_t{200} + what).pays(own_script(what % 10U), 5).build()});
    if ((what & 2U) != 0) {
      honest = honest.at_height(honest.height() - static_cast<chain::Height>(rest.below(5)));
      honest.salt(what).blocks(6);
    }
    sim.set_chain(0, honest);
    if ((what & 4U) != 0) sim.cut(rest.below(sim.nodes()));
    if ((what & 8U) != 0) sim.stop();
    sim.run_for(milliseconds(100) + milliseconds(rest.word()));
  }
  // The others run out of ideas, and the honest chain has more work than any that they made up.
  honest.blocks(12);
  for (std::size_t node = 0; node < sim.nodes(); ++node) {
    sim.node(node).fake.clear_faults();
    sim.set_chain(node, honest);
  }
  sim.run_for(seconds(90));
  util::ensure(sim.run_until_finished(), "the client does not end");
  if (sim.finished()->failure)
    util::ensure(sim.run_until_finished() && !sim.finished()->failure, "it ends with a failure");
  util::ensure(test::compare_with_chain(sim.wallet(), sim.committed(), honest).empty(),
               "the wallet is not the chain's");
  util::ensure(test::compare_with_chain(sim.committed_wallet(), sim.committed(), honest).empty(),
               "committed otherwise");
}
