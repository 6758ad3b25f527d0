#include "tests/support/filter_faults.h"

#include <algorithm>
#include <memory>

#include "tests/support/faults.h"

namespace spv::test::faults {
namespace {

using p2p::CFCheckpt;
using p2p::CFHeaders;
using p2p::CFilter;

constexpr std::uint8_t kUnknownType = 1;

chain::BlockHash unknown_block() {
  chain::BlockHash hash;
  hash.bytes.fill(0x5A);
  return hash;
}

void erase_scripts(std::vector<util::Bytes>& scripts, const std::vector<util::Bytes>& gone) {
  std::erase_if(scripts, [&](const auto& script) { return std::ranges::find(gone, script) != gone.end(); });
}

template <typename M>
Tamper wrong_type() {
  return alter<M>([](M& message) { message.filter_type = kUnknownType; });
}

template <typename M>
Tamper other_stop() {
  return alter<M>([](M& message) { message.stop = unknown_block(); });
}

template <typename M>
Tamper repeat_each() {
  return append<M>([](const M& message) { return Messages{message}; });
}

Tamper change_filter(void (*change)(util::Bytes&)) {
  return alter<CFilter>([change](CFilter& message) { change(message.filter); });
}

}  // namespace

FilterForge omit_scripts(std::vector<util::Bytes> scripts) { return omit_scripts_from(0, std::move(scripts)); }

FilterForge omit_scripts_from(chain::Height height, std::vector<util::Bytes> scripts) {
  return [height, gone = std::move(scripts)](const Block& block, std::vector<util::Bytes>& all) {
    if (block.height >= height) erase_scripts(all, gone);
  };
}

FilterForge add_scripts(std::vector<util::Bytes> scripts) {
  return [more = std::move(scripts)](const Block& /*block*/, std::vector<util::Bytes>& all) {
    all.insert(all.end(), more.begin(), more.end());
  };
}

FilterForge forget_all_scripts() {
  return [](const Block& /*block*/, std::vector<util::Bytes>& all) { all.clear(); };
}

Tamper filters_without(FakeNode& node, std::vector<util::Bytes> scripts) {
  const auto liar = std::make_shared<FakeNode>();
  liar->forge_filters(omit_scripts(std::move(scripts)));
  return alter<CFilter>([&node, liar](CFilter& message) {
    if (!liar->chain().contains(node.chain().tip())) liar->set_chain(node.chain());
    const Block* block = liar->find_block(message.block);
    if (block != nullptr) message.filter = liar->filter_of(*block).filter;
  });
}

Tamper empty_filters() {
  return change_filter([](util::Bytes& filter) { filter = {0}; });
}

Tamper altered_filters() {
  return change_filter([](util::Bytes& filter) {
    // The highest bit of the last byte belongs to the last element unless the coding ends with the byte before; then it
    // is padding, and the filter no filter at all.
    filter.back() ^= 0x80U;
  });
}

Tamper truncated_filters() {
  return change_filter([](util::Bytes& filter) { filter.pop_back(); });
}

Tamper extended_filters() {
  return change_filter([](util::Bytes& filter) { filter.push_back(0); });
}

Tamper filters_without_bytes() {
  return change_filter([](util::Bytes& filter) { filter.clear(); });
}

Tamper filters_of_a_huge_count() {
  return change_filter([](util::Bytes& filter) {
    const util::Bytes huge{0xFE, 0xFF, 0xFF, 0xFF, 0xFF};
    filter.erase(filter.begin());
    filter.insert(filter.begin(), huge.begin(), huge.end());
  });
}

Tamper filters_of_endless_ones() {
  return change_filter([](util::Bytes& filter) {
    filter.assign(100'000, 0xFF);
    filter.front() = 1;
  });
}

Tamper filters_of_wrong_type() { return wrong_type<CFilter>(); }

Tamper filters_of_an_unknown_block() {
  return alter<CFilter>([](CFilter& message) { message.block = unknown_block(); });
}

Tamper filters_of_the_block_before(const FakeNode& node) {
  return alter<CFilter>([&node](CFilter& message) {
    const Block* block = node.find_block(message.block);
    if (block != nullptr && block->height > 0) message.block = block->header.previous;
  });
}

Tamper unasked_filters(FakeNode& node) {
  return append<CFilter>([&node](const CFilter&) {
    const auto& genesis = node.filter_of(node.chain().block(0));
    return Messages{CFilter{bip158::kBasicType, genesis.block, genesis.filter}};
  });
}

Tamper repeated_filters() { return repeat_each<CFilter>(); }

Tamper filters_backwards() {
  return [](Reply& reply) {
    std::vector<CFilter*> filters;
    for (auto& message : reply.messages) {
      if (auto* filter = std::get_if<CFilter>(&message)) filters.push_back(filter);
    }
    for (std::size_t i = 0; i < filters.size() / 2; ++i) std::swap(*filters[i], *filters[filters.size() - 1 - i]);
  };
}

Tamper drop_nth_filter(int n) {
  return [n, sent = 0](Reply& reply) mutable {
    std::erase_if(reply.messages,
                  [&](const auto& message) { return std::holds_alternative<CFilter>(message) && sent++ == n; });
  };
}

Tamper stall_after_filters(int filters) {
  return [filters, sent = 0](Reply& reply) mutable {
    std::erase_if(reply.messages, [&](const auto& message) {
      if (std::holds_alternative<CFilter>(message)) ++sent;
      return sent > filters;
    });
  };
}

Tamper hang_up_at_filter(int n) {
  return [n, sent = 0](Reply& reply) mutable {
    const auto at = std::ranges::find_if(
        reply.messages, [&](const auto& message) { return std::holds_alternative<CFilter>(message) && sent++ == n; });
    if (at == reply.messages.end()) return;
    reply.messages.erase(at, reply.messages.end());
    reply.closed = true;
  };
}

Tamper silent_filters() { return withhold<CFilter>(); }

Tamper unlinked_filter_headers() {
  return alter<CFHeaders>([](CFHeaders& message) { message.previous_header.bytes[0] ^= 1U; });
}

Tamper altered_filter_hash() {
  return alter<CFHeaders>([](CFHeaders& message) {
    if (!message.filter_hashes.empty()) message.filter_hashes.front().bytes[0] ^= 1U;
  });
}

Tamper altered_filter_hash_at(const FakeNode& node, chain::Height height) {
  return alter<CFHeaders>([&node, height](CFHeaders& message) {
    const Block* stop = node.find_block(message.stop);
    if (stop == nullptr || height > stop->height) return;
    const auto from_end = static_cast<std::size_t>(stop->height - height) + 1;
    if (from_end > message.filter_hashes.size()) return;
    message.filter_hashes[message.filter_hashes.size() - from_end].bytes[0] ^= 1U;
  });
}

Tamper one_filter_hash_less() {
  return alter<CFHeaders>([](CFHeaders& message) {
    if (!message.filter_hashes.empty()) message.filter_hashes.pop_back();
  });
}

Tamper one_filter_hash_more() {
  return alter<CFHeaders>([](CFHeaders& message) { message.filter_hashes.emplace_back(); });
}

Tamper no_filter_hashes() {
  return alter<CFHeaders>([](CFHeaders& message) { message.filter_hashes.clear(); });
}

Tamper filter_headers_of_wrong_type() { return wrong_type<CFHeaders>(); }
Tamper filter_headers_of_another_stop() { return other_stop<CFHeaders>(); }

Tamper unasked_filter_headers() {
  return append<p2p::Pong>([](const p2p::Pong&) {
    return Messages{CFHeaders{bip158::kBasicType, unknown_block(), {}, {util::FilterHash{}}}};
  });
}

Tamper repeated_filter_headers() { return repeat_each<CFHeaders>(); }
Tamper silent_filter_headers() { return withhold<CFHeaders>(); }

Tamper altered_checkpoint(std::size_t n) {
  return alter<CFCheckpt>([n](CFCheckpt& message) {
    if (n < message.filter_headers.size()) message.filter_headers[n].bytes[0] ^= 1U;
  });
}

Tamper one_checkpoint_less() {
  return alter<CFCheckpt>([](CFCheckpt& message) {
    if (!message.filter_headers.empty()) message.filter_headers.pop_back();
  });
}

Tamper one_checkpoint_more() {
  return alter<CFCheckpt>([](CFCheckpt& message) { message.filter_headers.emplace_back(); });
}

Tamper checkpoints_of_wrong_type() { return wrong_type<CFCheckpt>(); }
Tamper checkpoints_of_another_stop() { return other_stop<CFCheckpt>(); }

Tamper unasked_checkpoints() {
  return append<p2p::Pong>([](const p2p::Pong&) {
    return Messages{CFCheckpt{bip158::kBasicType, unknown_block(), {}}};
  });
}

Tamper silent_checkpoints() { return withhold<CFCheckpt>(); }

}  // namespace spv::test::faults
