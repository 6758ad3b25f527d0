// Ready-made lies about compact filters (BIP157/158) for a FakeNode. Threats: docs/security.md.
//
// forge(): filters that are wrong, and a chain of filter headers that agrees with them. All others are faults for
// node.add_fault(): messages that contradict themselves, each other or the request.
#pragma once

#include <vector>

#include "tests/support/fake_node.h"

namespace spv::test::faults {

// --- node.forge_filters(...): filters and headers agree ---

/// No filter holds these scripts.
FilterForge omit_scripts(std::vector<util::Bytes> scripts);
/// The same for the filters from this height on.
FilterForge omit_scripts_from(chain::Height height, std::vector<util::Bytes> scripts);
/// Every filter holds these scripts: each block has to be fetched.
FilterForge add_scripts(std::vector<util::Bytes> scripts);
/// No filter holds anything.
FilterForge forget_all_scripts();

// --- cfilter ---

/// The filters leave these scripts out, the headers are those of the true ones. `node` outlives the fault.
Tamper filters_without(FakeNode& node, std::vector<util::Bytes> scripts);
/// Every filter is that of a block without scripts.
Tamper empty_filters();
/// A bit of the last element is another.
Tamper altered_filters();
Tamper truncated_filters();
Tamper extended_filters();
/// No bytes at all.
Tamper filters_without_bytes();
/// Every filter claims 2^32 - 1 elements.
Tamper filters_of_a_huge_count();
/// Every filter has one element, of 100,000 bytes of ones.
Tamper filters_of_endless_ones();
Tamper filters_of_wrong_type();
/// Every filter is said to be of a block that nobody knows.
Tamper filters_of_an_unknown_block();
/// Every filter is said to be of the block before the one that it belongs to. `node` outlives the fault.
Tamper filters_of_the_block_before(const FakeNode& node);
/// The filter of genesis, which nobody asked for, follows every filter. `node` outlives the fault.
Tamper unasked_filters(FakeNode& node);
Tamper repeated_filters();
/// The last one first.
Tamper filters_backwards();
/// The n-th cfilter that leaves the node, counted from 0, is lost.
Tamper drop_nth_filter(int n);
/// After the first `filters` nothing leaves the node any more, pongs included.
Tamper stall_after_filters(int filters);
/// Hangs up instead of sending the n-th cfilter, counted from 0.
Tamper hang_up_at_filter(int n);
Tamper silent_filters();

// --- cfheaders ---

/// The header before the first one is another.
Tamper unlinked_filter_headers();
/// The first hash is another: the filter of that block does not have it.
Tamper altered_filter_hash();
/// The hash of this block's filter is another. `node` outlives the fault.
Tamper altered_filter_hash_at(const FakeNode& node, chain::Height height);
Tamper one_filter_hash_less();
Tamper one_filter_hash_more();
Tamper no_filter_hashes();
Tamper filter_headers_of_wrong_type();
Tamper filter_headers_of_another_stop();
/// Comes after every pong.
Tamper unasked_filter_headers();
Tamper repeated_filter_headers();
Tamper silent_filter_headers();

// --- cfcheckpt ---

/// The n-th checkpoint, counted from 0, differs from the headers.
Tamper altered_checkpoint(std::size_t n);
Tamper one_checkpoint_less();
Tamper one_checkpoint_more();
Tamper checkpoints_of_wrong_type();
Tamper checkpoints_of_another_stop();
/// Comes after every pong.
Tamper unasked_checkpoints();
Tamper silent_checkpoints();

}  // namespace spv::test::faults
