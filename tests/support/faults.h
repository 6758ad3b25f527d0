// Ready-made ways for a FakeNode to misbehave: node.add_fault(faults::drop_tx(txid)). Threats: docs/security.md.
#pragma once

#include <algorithm>
#include <functional>

#include "chain/types.h"
#include "tests/support/fake_node.h"

namespace spv::test::faults {

/// Changes every message of one kind.
template <typename M>
Tamper alter(std::function<void(M&)> change) {
  return [change = std::move(change)](Reply& reply) {
    for (auto& message : reply.messages) {
      if (auto* wanted = std::get_if<M>(&message)) change(*wanted);
    }
  };
}
/// Messages of one kind never leave the node.
template <typename M>
Tamper withhold() {
  return [](Reply& reply) {
    std::erase_if(reply.messages, [](const auto& message) { return std::holds_alternative<M>(message); });
  };
}
/// After every message of kind M others follow.
template <typename M>
Tamper append(std::function<Messages(const M&)> more) {
  return [more = std::move(more)](Reply& reply) {
    Messages out;
    for (auto& message : reply.messages) {
      Messages added;
      if (const auto* wanted = std::get_if<M>(&message)) added = more(*wanted);
      out.push_back(std::move(message));
      for (auto& each : added) out.push_back(std::move(each));
    }
    reply.messages = std::move(out);
  };
}

/// The transaction is proven but never delivered (M10).
Tamper drop_tx(const chain::Txid& txid);
/// The n-th `tx` message that leaves the node, counted from 0, is lost (M10).
Tamper drop_nth_tx(int n);
/// From the merkleblock after the first `blocks` on nothing leaves the node any more, pongs included (E1).
Tamper stall_after(int blocks);
/// The same after `batches` headers messages (E1).
Tamper stall_after_headers(int batches);
/// Every merkleblock carries a header that is on no chain (M12).
Tamper wrong_header();
/// One hash of every proof is altered, so that the root is wrong (M6).
Tamper forged_proof();
/// Every proof says that the block has one transaction, which does not match: its root is right (M8, M14).
Tamper claim_one_transaction();
/// A transaction that no proof speaks of follows every merkleblock (M9).
Tamper slip_in(const chain::Transaction& tx);
/// Every merkleblock and transaction comes twice (M11).
Tamper repeat();
/// Transactions come before their merkleblock (M11).
Tamper transactions_first();
/// Never answers a ping.
Tamper no_pong();
/// Hangs up instead of sending the n-th merkleblock, counted from 0.
Tamper hang_up_at(int n);

}  // namespace spv::test::faults
