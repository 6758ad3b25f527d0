#include "client/peer_book.h"

namespace spv::client {

PeerBook::PeerBook(const std::filesystem::path& path, const chain::NetworkParams& params, const util::LogSink& log,
                   util::TimePoint now)
    : file_(path, params.magic), saved_(now) {
  if (!log) return;
  if (!file_.trouble().empty()) log(util::LogLevel::Warn, file_.trouble());
  if (!file_.writable()) log(util::LogLevel::Info, "another spv writes the address book; this one only reads it");
}

void PeerBook::save_if_due(util::TimePoint now) {
  if (now < saved_ + kInterval) return;
  file_.save();
  saved_ = now;
}

}  // namespace spv::client
