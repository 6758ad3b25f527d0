#include "tests/support/faults.h"

#include <algorithm>

namespace spv::test::faults {
namespace {

template <typename M>
bool is(const p2p::Message& message) {
  return std::holds_alternative<M>(message);
}

template <typename M>
Tamper stall_after_nth(int allowed) {
  return [allowed, sent = 0](Reply& reply) mutable {
    std::erase_if(reply.messages, [&](const auto& message) {
      if (is<M>(message)) ++sent;
      return sent > allowed;
    });
  };
}

}  // namespace

Tamper drop_tx(const chain::Txid& txid) {
  return [txid](Reply& reply) {
    std::erase_if(reply.messages, [&](const auto& message) {
      const auto* tx = std::get_if<p2p::Tx>(&message);
      return tx != nullptr && tx->transaction.txid() == txid;
    });
  };
}

Tamper drop_nth_tx(int n) {
  return [n, sent = 0](Reply& reply) mutable {
    std::erase_if(reply.messages, [&](const auto& message) { return is<p2p::Tx>(message) && sent++ == n; });
  };
}

Tamper stall_after(int blocks) { return stall_after_nth<p2p::MerkleBlock>(blocks); }
Tamper stall_after_headers(int batches) { return stall_after_nth<p2p::Headers>(batches); }

Tamper wrong_header() {
  return alter<p2p::MerkleBlock>([](p2p::MerkleBlock& block) {
    block.header.time ^= 1U;
    mine(block.header);
  });
}

Tamper forged_proof() {
  return alter<p2p::MerkleBlock>([](p2p::MerkleBlock& block) { block.tree.hashes.back().bytes[0] ^= 1U; });
}

Tamper claim_one_transaction() {
  return [](Reply& reply) {
    std::erase_if(reply.messages, is<p2p::Tx>);
    for (auto& message : reply.messages) {
      auto* block = std::get_if<p2p::MerkleBlock>(&message);
      if (block == nullptr) continue;
      block->tree.transactions = 1;
      block->tree.hashes = {util::retag<util::Hash256>(block->header.merkle_root)};
      block->tree.flags = {0};
    }
  };
}

Tamper slip_in(const chain::Transaction& tx) {
  return [tx](Reply& reply) {
    Messages out;
    for (auto& message : reply.messages) {
      const bool follows = is<p2p::MerkleBlock>(message);
      out.push_back(std::move(message));
      if (follows) out.emplace_back(p2p::Tx{tx});
    }
    reply.messages = std::move(out);
  };
}

Tamper repeat() {
  return [](Reply& reply) {
    Messages out;
    for (const auto& message : reply.messages) {
      out.push_back(message);
      if (is<p2p::MerkleBlock>(message) || is<p2p::Tx>(message)) out.push_back(message);
    }
    reply.messages = std::move(out);
  };
}

Tamper transactions_first() {
  return [](Reply& reply) { std::stable_partition(reply.messages.begin(), reply.messages.end(), is<p2p::Tx>); };
}

Tamper no_pong() {
  return [](Reply& reply) { std::erase_if(reply.messages, is<p2p::Pong>); };
}

Tamper hang_up_at(int n) {
  return [n, sent = 0](Reply& reply) mutable {
    const auto at = std::find_if(reply.messages.begin(), reply.messages.end(),
                                 [&](const auto& message) { return is<p2p::MerkleBlock>(message) && sent++ == n; });
    if (at == reply.messages.end()) return;
    reply.messages.erase(at, reply.messages.end());
    reply.closed = true;
  };
}

}  // namespace spv::test::faults
