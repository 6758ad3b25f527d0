// Client: the public door, over a Syncer.
#include <spv/client.h>
#include <utility>

#include "chain/pow.h"
#include "client/client_impl.h"
#include "client/client_maker.h"
#include "client/values.h"
#include "util/hex.h"
#if SPV_WITH_SECRETS
#include "client/seed_wallet.h"
#include "wallet/account.h"
#include "wallet/mnemonic.h"
#endif

namespace spv {
namespace {

constexpr std::uint32_t kMaxGapLimit = 10'000;
Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }
Error no_such_transaction(const std::string& txid) {
  return {ErrorCode::NotFound, "no transaction in the wallet matches '" + txid + "'"};
}

template <typename From>
Result<client::Birthday> birthday_of(const From& options, const chain::NetworkParams& params) {
  if (options.gap_limit == 0 || options.gap_limit > kMaxGapLimit)
    return invalid("gap_limit must be between 1 and 10000");
  if (options.birthday_height && *options.birthday_height < 0)
    return invalid("the birthday must be a height of 0 or more");
  if (!options.birthday_height) return client::Birthday{0, options.birthday_time};
  return client::Birthday{chain::scan_start(params, *options.birthday_height), std::nullopt};
}

Result<ProofFacts> facts_of(const bip37::TxProof& proof, const chain::HeaderStore* headers) {
  switch (client::place_of(proof, headers)) {
    case client::ProofPlace::OnChain:
      break;
    case client::ProofPlace::Elsewhere:
      return Error{ErrorCode::InvalidProof, "the block is not on the best known chain"};
    case client::ProofPlace::TooLittleWork:
    case client::ProofPlace::AboveTip:
    case client::ProofPlace::BelowBase:
      return Error{ErrorCode::NotFound, "the block is not in the local headers; sync first"};
  }
  return ProofFacts{util::to_string(proof.tx.txid()), util::to_string(proof.header.hash()), proof.height,
                    headers->tip_height() - proof.height + 1};
}

Result<client::NewWallet> new_watch_wallet(const WatchOptions& wanted, const chain::NetworkParams& params) {
  const auto birthday = birthday_of(wanted, params);
  if (!birthday) return birthday.error();
  auto chains = client::chains_of_descriptors(wanted.descriptors, params);
  if (!chains) return invalid(chains.error().message);
  const auto fixed = client::chains_of_addresses(wanted.addresses, params);
  if (!fixed) return invalid(fixed.error().message);
  chains->insert(chains->end(), fixed->begin(), fixed->end());
  if (chains->empty()) return invalid("nothing to watch: give a descriptor or an address");
  client::NewWallet wallet;
  wallet.chains = std::move(*chains);
  wallet.gap_limit = wanted.gap_limit;
  wallet.birthday = *birthday;
  return wallet;
}

#if SPV_WITH_SECRETS
Result<client::NewWallet> new_seed_wallet(const wallet::Mnemonic& mnemonic, const WalletOptions& wanted,
                                          client::Birthday birthday, const chain::NetworkParams& params) {
  const auto seed = mnemonic.seed(wanted.bip39_passphrase.text());
  if (!seed) return Error{ErrorCode::Secret, seed.error().message};
  client::NewWallet wallet;
  auto chains = client::chains_of_seed(*seed, wanted.script, wanted.account, params);
  if (!chains) return invalid("'" + wanted.script + "' is not a script type; use pkh, sh-wpkh, wpkh, tr or all");
  wallet.chains = std::move(*chains);
  wallet.gap_limit = wanted.gap_limit;
  wallet.birthday = birthday;
  wallet.fingerprint = wallet::master_fingerprint(*seed);
  std::optional<util::SecretBytes> passphrase;
  const auto text = wanted.passphrase.text();
  if (!text.empty()) passphrase.emplace(text.begin(), text.end());
  auto secret = client::protect(*seed, passphrase, params.network);
  if (!secret) return Error{ErrorCode::Secret, std::string(to_string(secret.error()))};
  wallet.secret = std::move(*secret);
  return wallet;
}
#endif

}  // namespace

const char* version() { return SPV_VERSION; }

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::open(Options options) {
  if (auto wrong = client::complaint(options)) return *wrong;
  return client::guarded<Client>([&]() -> Result<Client> {
    const auto network = client::to_network(options.network);
    auto store = client::make_store({options.data_dir, network}, network, options.database);
    return ClientMaker::open(std::move(options), std::move(store));
  });
}

Result<Client> ClientMaker::open(Options options, std::shared_ptr<store::Store> store) {
  if (auto wrong = client::complaint(options)) return *wrong;
  return client::guarded<Client>([&]() -> Result<Client> {
    auto impl = std::make_unique<Client::Impl>(std::move(options), std::move(store));
    impl->setup.folder.make();
    return Client(std::move(impl));
  });
}

// --- wallets --------------------------------------------------------------------------------------------------------

#if SPV_WITH_SECRETS
Result<Secret> Client::create_wallet(const std::string& name, const WalletOptions& options) {
  const auto birthday = birthday_of(options, impl_->setup.params);
  if (!birthday) return birthday.error();
  const std::size_t size = wallet::Mnemonic::entropy_size(options.words);
  if (size == 0) return invalid("a mnemonic must have 12, 15, 18, 21 or 24 words");
  return client::guarded<Secret>([&]() -> Result<Secret> {
    util::SecretBytes entropy(size);
    client::fill_with_entropy(entropy);
    const auto mnemonic = wallet::Mnemonic::from_entropy(entropy);
    client::Birthday begin = *birthday;
    if (!options.birthday_height && !begin.time) begin.time = impl_->setup.clock().wall;
    Secret words(mnemonic.text());
    auto wallet = new_seed_wallet(mnemonic, options, begin, impl_->setup.params);
    if (!wallet) return wallet.error();
    const auto made = impl_->make(name, std::move(*wallet));
    if (!made) return made.error();
    static_cast<void>(impl_->open(name));  // whatever comes of it: these words are shown but once
    return words;
  });
}

Result<void> Client::restore_wallet(const std::string& name, std::string_view mnemonic, const WalletOptions& options) {
  const auto birthday = birthday_of(options, impl_->setup.params);
  if (!birthday) return birthday.error();
  return client::guarded<void>([&]() -> Result<void> {
    const auto parsed = wallet::Mnemonic::parse(mnemonic);
    if (!parsed) return Error{ErrorCode::Secret, parsed.error().message};
    auto wallet = new_seed_wallet(*parsed, options, *birthday, impl_->setup.params);
    if (!wallet) return wallet.error();
    auto made = impl_->make(name, std::move(*wallet));
    return made ? impl_->open(name) : made;
  });
}
#else
Result<Secret> Client::create_wallet(const std::string&, const WalletOptions&) {
  return Error{ErrorCode::Unsupported, "this build does not support private keys; watch a descriptor instead"};
}

Result<void> Client::restore_wallet(const std::string&, std::string_view, const WalletOptions&) {
  return Error{ErrorCode::Unsupported, "this build does not support private keys; watch a descriptor instead"};
}
#endif

Result<void> Client::watch_wallet(const std::string& name, const WatchOptions& options) {
  return client::guarded<void>([&]() -> Result<void> {
    auto wallet = new_watch_wallet(options, impl_->setup.params);
    if (!wallet) return wallet.error();
    auto made = impl_->make(name, std::move(*wallet));
    return made ? impl_->open(name) : made;
  });
}

Result<void> Client::open_wallet(const std::string& name) { return impl_->open(name); }
Result<void> Client::open_wallets(const std::vector<std::string>& names) { return impl_->open_all(names); }
Result<void> Client::close_wallet(const std::string& name) { return impl_->syncer.remove(name); }
std::vector<std::string> Client::wallets() const {
  const auto names = client::guarded<std::vector<std::string>>(
      [&]() -> Result<std::vector<std::string>> { return impl_->setup.store->names(); });
  return names ? *names : std::vector<std::string>{};
}

// --- sync -----------------------------------------------------------------------------------------------------------

Result<void> Client::start() {
  auto started = impl_->syncer.start(nullptr);
  if (started) impl_->follow();
  return started;
}
Result<void> Client::start_on(boost::asio::io_context& io) {
  if (impl_->setup.options.follow_all) return invalid("follow_all needs start(), not start_on()");
  return impl_->syncer.start(&io);
}
Result<void> Client::stop() { return impl_->syncer.stop(); }
Result<void> Client::resume() {
  auto resumed = impl_->syncer.resume();
  if (resumed) impl_->follow();
  return resumed;
}
Result<void> Client::network_changed() { return impl_->syncer.restart(); }
void Client::set_byte_budget(std::uint64_t bytes) { impl_->syncer.set_budget(bytes); }
bool Client::running() const { return impl_->syncer.running(); }

std::optional<Event> Client::next_event(std::chrono::milliseconds timeout) {
  return impl_->events.queue().pop(timeout);
}
void Client::interrupt() {
  impl_->waits.request_stop();
  impl_->events.queue().interrupt();
}
int Client::event_fd() const { return impl_->events.queue().fd(); }
void Client::on_wake(std::function<void()> wake) { impl_->events.on_wake(std::move(wake)); }
void Client::subscribe(std::function<void(const Event&)> subscriber) { impl_->events.subscribe(std::move(subscriber)); }

// --- what a wallet holds --------------------------------------------------------------------------------------------

namespace {

std::optional<std::string> one_or_all(const std::string& wallet) {
  return wallet.empty() ? std::nullopt : std::optional(wallet);
}

std::vector<LoggedEvent> to_logged(const std::vector<store::LoggedEvent>& events, const chain::NetworkParams& params) {
  std::vector<LoggedEvent> out;
  out.reserve(events.size());
  for (const auto& each : events) {
    out.push_back({each.seq, each.time, client::to_logged(each, params)});
  }
  return out;
}

Result<void> check_consumer(const std::string& consumer) {
  if (store::is_wallet_name(consumer)) return {};
  return Error{ErrorCode::InvalidArgument,
               "'" + consumer + "' is not a valid consumer name; use at most 64 letters, digits, '.', '_' and '-'"};
}

}  // namespace

Result<std::vector<LoggedEvent>> Client::events(std::int64_t after, std::size_t limit,
                                                const std::string& wallet) const {
  return client::guarded<std::vector<LoggedEvent>>([&]() -> Result<std::vector<LoggedEvent>> {
    return to_logged(impl_->setup.store->events(after, limit, one_or_all(wallet)), impl_->setup.params);
  });
}

Result<std::vector<LoggedEvent>> Client::wait_events(std::int64_t after, std::size_t limit,
                                                     std::chrono::milliseconds timeout,
                                                     const std::string& wallet) const {
  return client::guarded<std::vector<LoggedEvent>>([&]() -> Result<std::vector<LoggedEvent>> {
    return to_logged(
        impl_->setup.store->wait_events(after, limit, one_or_all(wallet), timeout, impl_->waits.get_token()),
        impl_->setup.params);
  });
}

Result<std::int64_t> Client::consumer_position(const std::string& consumer) const {
  if (const auto checked = check_consumer(consumer); !checked) return checked.error();
  return client::guarded<std::int64_t>(
      [&]() -> Result<std::int64_t> { return impl_->setup.store->position(consumer); });
}

Result<void> Client::acknowledge(const std::string& consumer, std::int64_t seq) {
  if (const auto checked = check_consumer(consumer); !checked) return checked.error();
  return client::guarded<void>([&]() -> Result<void> {
    if (seq < 0 || seq > impl_->setup.store->newest_event()) {
      return Error{ErrorCode::InvalidArgument, "event " + std::to_string(seq) + " does not exist yet"};
    }
    impl_->setup.store->acknowledge(consumer, seq);
    return {};
  });
}

Result<Balance> Client::balance(const std::string& wallet) const {
  return impl_->look<Balance>(wallet, [](const client::OpenWallet& open) -> Result<Balance> {
    const auto sums = open.wallet.balance();
    return Balance{sums.confirmed, sums.unconfirmed, sums.immature};
  });
}

Result<std::vector<Coin>> Client::coins(const std::string& wallet) const {
  return impl_->look<std::vector<Coin>>(wallet, [&](const client::OpenWallet& open) -> Result<std::vector<Coin>> {
    std::vector<Coin> out;
    for (const auto& coin : open.wallet.coins()) out.push_back(client::to_coin(coin, open.wallet, impl_->setup.params));
    return out;
  });
}

Result<std::vector<HistoryEntry>> Client::history(const std::string& wallet) const {
  return impl_->look<std::vector<HistoryEntry>>(
      wallet, [](const client::OpenWallet& open) -> Result<std::vector<HistoryEntry>> {
        std::vector<HistoryEntry> out;
        for (const auto& entry : open.wallet.history()) out.push_back(client::to_entry(entry));
        return out;
      });
}

Result<HistoryEntry> Client::transaction(const std::string& wallet, const std::string& txid) const {
  return impl_->look<HistoryEntry>(wallet, [&](const client::OpenWallet& open) -> Result<HistoryEntry> {
    const auto id = util::parse_hash<chain::Txid>(txid);
    const auto entry = id ? open.wallet.entry(*id) : std::nullopt;
    if (!entry) return no_such_transaction(txid);
    return client::to_entry(*entry);
  });
}

Result<std::vector<Address>> Client::addresses(const std::string& wallet) const {
  return impl_->with<std::vector<Address>>(wallet, [&](client::SyncState&, client::Held& held) {
    auto& owner = held.open.wallet;
    const auto entries = owner.addresses();
    if (!entries) client::fail_foreign_script();
    std::vector<Address> out;
    for (const auto& entry : *entries) out.push_back(client::to_address(entry, owner, impl_->setup.params));
    return Result<std::vector<Address>>(std::move(out));
  });
}

Result<WalletStatus> Client::status(const std::string& wallet) const {
  return impl_->look<WalletStatus>(wallet, [](const client::OpenWallet& open) -> Result<WalletStatus> {
    const auto& owner = open.wallet;
    const auto& scan = owner.scan();
    WalletStatus out;
    out.scanned_to = scan.backfill ? scan.backfill->from - 1 : scan.scanned_to.height;
    out.birthday = owner.config().birthday;
    out.watch_only = open.stored->info().kind == store::WalletKind::Watch;
    out.encrypted = open.stored->info().encrypted;
    out.scripts = owner.script_count();
    return out;
  });
}

Result<Address> Client::address(const std::string& wallet, bool next, bool change) {
  return impl_->with<Address>(wallet, [&](client::SyncState& state, client::Held& held) -> Result<Address> {
    auto& owner = held.open.wallet;
    for (;;) {
      client::note_issued(held.open);
      const auto issued = owner.issue_address(change, next);
      if (!issued && issued.error() == wallet::NoAddress::Damaged) client::fail_foreign_script();
      if (!issued) {
        return Error{ErrorCode::NotFound,
                     next ? "gap limit reached: no more unused addresses" : "the wallet has no such address"};
      }
      if (issued->changes.empty()) return client::to_address(issued->entry, owner, impl_->setup.params);
      state.keep(held, {});  // the file knows the address only with all that was found so far
      // On disk before anybody sees it: an address is never handed out twice, not by another process either.
      if (held.open.stored->issue(issued->entry.chain, issued->entry.index)) {
        return client::to_address(issued->entry, owner, impl_->setup.params);
      }
    }
  });
}

Result<std::string> Client::proof(const std::string& wallet, const std::string& txid) const {
  return impl_->with<std::string>(wallet, [&](client::SyncState& state, client::Held& held) -> Result<std::string> {
    const auto id = util::parse_hash<chain::Txid>(txid);
    const auto* record = id ? held.open.wallet.find(*id) : nullptr;
    if (record == nullptr) return no_such_transaction(txid);
    return impl_->with_headers<std::string>(state, [&](const chain::HeaderStore* headers) -> Result<std::string> {
      const auto proof = client::make_proof(*record, impl_->setup.params.network, headers);
      if (!proof) return Error{ErrorCode::NotFound, proof.error()};
      return bip37::encode_proof(*proof);
    });
  });
}

Result<ProofFacts> Client::verify_proof(std::string_view text) const {
  return client::guarded<ProofFacts>([&]() -> Result<ProofFacts> {
    const auto proof = bip37::parse_proof(bip37::plain_proof_text(text));
    if (!proof) return Error{ErrorCode::InvalidProof, std::string(to_string(proof.error()))};
    if (proof->network != impl_->setup.params.network) {
      return Error{ErrorCode::WrongNetwork,
                   "the proof is for " + std::string(chain::params(proof->network).name) + ", not for this network"};
    }
    if (const auto ok = bip37::check_membership(*proof); !ok) {
      return Error{ErrorCode::InvalidProof, std::string(to_string(ok.error()))};
    }
    const auto state = impl_->syncer.lock();
    return impl_->with_headers<ProofFacts>(
        *state, [&](const chain::HeaderStore* headers) { return facts_of(*proof, headers); });
  });
}

}  // namespace spv
