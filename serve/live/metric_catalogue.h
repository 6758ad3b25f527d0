// The metrics: their names, what they are and what they say. docs/metrics.md has the same table; a test compares them.
#pragma once

#include <array>

#include "serve/live/metric_text.h"

namespace spv::serve::metric {

inline constexpr MetricInfo kBuildInfo{"spv_build_info", MetricType::Gauge, "Always 1, with version and network."};
inline constexpr MetricInfo kStoreUp{"spv_store_up", MetricType::Gauge,
                                     "Whether the storage answered the last time (1) or not (0)."};
inline constexpr MetricInfo kHeight{"spv_tip_height", MetricType::Gauge, "Height of the tip of the header chain."};
inline constexpr MetricInfo kPeers{"spv_peers", MetricType::Gauge, "Connected peers."};
inline constexpr MetricInfo kReceived{"spv_peer_received_bytes_total", MetricType::Counter,
                                      "Bytes received from peers, by what they were for."};
inline constexpr MetricInfo kSent{"spv_peer_sent_bytes_total", MetricType::Counter,
                                  "Bytes sent to peers, by what they were for."};
inline constexpr MetricInfo kBlocks{"spv_blocks_scanned_total", MetricType::Counter, "Blocks scanned since the start."};
inline constexpr MetricInfo kSeen{"spv_transactions_seen_total", MetricType::Counter,
                                  "Transactions delivered by peers."};
inline constexpr MetricInfo kMatched{"spv_transactions_matched_total", MetricType::Counter,
                                     "Delivered transactions that the filter matches."};
inline constexpr MetricInfo kRelevant{"spv_transactions_relevant_total", MetricType::Counter,
                                      "Delivered transactions that concern a wallet."};
inline constexpr MetricInfo kFilterBytes{"spv_filter_sent_bytes_total", MetricType::Counter,
                                         "Bytes of bloom filters sent to peers."};
inline constexpr MetricInfo kFalsePositives{"spv_filter_false_positive_ratio", MetricType::Gauge,
                                            "False positive rate of the filter, as observed."};
inline constexpr MetricInfo kTarget{"spv_filter_false_positive_target_ratio", MetricType::Gauge,
                                    "False positive rate that the filter is made for."};
inline constexpr MetricInfo kWallets{"spv_wallets", MetricType::Gauge, "Wallets that this process follows, by state."};
inline constexpr MetricInfo kCommits{"spv_commit_duration_seconds", MetricType::Histogram,
                                     "How long commits to the storage took."};
inline constexpr MetricInfo kNewest{"spv_events_newest", MetricType::Gauge, "Number of the newest event in the log."};
inline constexpr MetricInfo kStreams{"spv_event_streams_open", MetricType::Gauge, "Clients with an open event stream."};
inline constexpr MetricInfo kPolls{"spv_event_polls_waiting", MetricType::Gauge, "Requests that wait for an event."};
inline constexpr MetricInfo kBehind{"spv_webhook_events_behind", MetricType::Gauge,
                                    "Events that a webhook has not taken yet."};
inline constexpr MetricInfo kFailures{"spv_webhook_failures", MetricType::Gauge,
                                      "Failed posts to a webhook since its last success."};
inline constexpr MetricInfo kConnections{"spv_http_connections", MetricType::Gauge, "Open HTTP connections."};
inline constexpr MetricInfo kElectrumClients{"spv_electrum_clients", MetricType::Gauge, "Connected Electrum clients."};
inline constexpr MetricInfo kElectrumScripts{"spv_electrum_subscriptions", MetricType::Gauge,
                                             "Addresses that Electrum clients have subscribed to."};
inline constexpr MetricInfo kRequests{"spv_http_request_duration_seconds", MetricType::Histogram,
                                      "How long HTTP requests took, by route, method and status class."};

/// The upper ends of the ranges of both histograms, in seconds.
inline constexpr std::array kSeconds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                     0.25,   0.5,   1.0,    2.5,   5.0,  10.0,  30.0, 60.0};

}  // namespace spv::serve::metric
