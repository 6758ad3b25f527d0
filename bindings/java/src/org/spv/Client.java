package org.spv;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A data directory, its open wallets, and their sync. Close it, or use it in a `try`. Functions may be called from any
 * thread; they block their thread, and throw an {@link SpvException}. Amounts are in satoshis.
 */
public final class Client implements AutoCloseable {
  /** The longest wait inside the library where a thread may be interrupted or a subscription cancelled. */
  private static final int WAIT_MS = 500;

  private static final int AT_ONCE = 100;
  private static final Abi SPV = Abi.LIBRARY;
  private static final Cleaner CLEANER = Cleaner.create();
  private static final System.Logger LOG = System.getLogger("org.spv");

  private final Handle handle;
  private final ReentrantLock reader = new ReentrantLock();

  /** A function of the C library that returns an object through its last parameter. */
  private interface Call {
    int apply(Pointer client, PointerByReference out);
  }

  /** Opens the data directory. No wallet is open yet, and nothing runs. */
  public Client(Options options) {
    handle = open(options);
    Handle kept = handle;
    // An open client stays: only close() knows that nobody uses it.
    CLEANER.register(this, () -> {
      if (!kept.isClosing()) LOG.log(System.Logger.Level.WARNING, "a libspv client was never closed: call close()");
    });
  }

  private static Handle open(Options given) {
    try (Memories memory = new Memories()) {
      Abi.spv_options options = new Abi.spv_options().sized(Abi.spv_options.class);
      options.data_dir = memory.of(given.dataDir);
      options.network = given.network == null ? 0 : given.network.number();
      if (given.peers.length > 0) options.peers = memory.of(List.of(given.peers));
      options.peer_count = new Abi.Size(given.peers.length > 0 ? given.peers.length : positive(given.peerCount));
      options.proxy = memory.of(given.proxy);
      options.fp_rate = given.fpRate;
      options.mempool_wait_ms = given.mempoolWaitMs;
      options.once = number(given.once);
      options.whole_blocks = number(given.wholeBlocks);
      options.byte_budget = positive(given.byteBudget);
      options.transport = given.transport.number();
      options.cross_check = given.crossCheck.number();
      options.source = given.source.number();
      options.plain_on_loopback = given.plainOnLoopback;
      options.max_download = positive(given.maxDownload);
      options.timeout_ms = given.timeoutMs;
      options.skip_clock_check = number(given.skipClockCheck);
      options.database = memory.of(given.database);
      options.follow_all = number(given.followAll);
      options.only_bloom_filters = number(given.onlyBloomFilters);
      return new Handle(options);
    }
  }

  /** Stops the sync and saves everything. Whoever waits for events is woken. May be called again. */
  @Override
  public void close() {
    handle.close();
  }

  /** Whether close() was called. */
  public boolean isClosed() {
    return handle.isClosing();
  }

  // --- wallets ---

  /** Creates a wallet from new entropy and opens it. Returns its mnemonic once, in UTF-8: overwrite it after use. */
  public byte[] createWallet(String name, WalletOptions options) {
    try (Memories memory = new Memories()) {
      Abi.spv_wallet_options wanted = walletOptions(options, memory);
      PointerByReference out = new PointerByReference();
      handle.call(client -> SPV.spv_wallet_create(client, text(name), wanted, out));
      return Values.takeSecret(out);
    }
  }

  /** Creates a wallet from a BIP39 mnemonic and opens it. */
  public void restoreWallet(String name, byte[] mnemonic, WalletOptions options) {
    try (Memories memory = new Memories()) {
      Abi.spv_wallet_options wanted = walletOptions(options, memory);
      Pointer phrase = memory.secret(mnemonic);
      handle.call(client -> SPV.spv_wallet_restore(client, text(name), phrase, Memories.sizeOf(mnemonic), wanted));
    }
  }

  /** Creates a watch-only wallet from descriptors and opens it. Write an address as addr(ADDRESS). */
  public void watchWallet(String name, List<String> descriptors, WalletOptions options) {
    try (Memories memory = new Memories()) {
      Abi.spv_wallet_options wanted = walletOptions(options, memory);
      Pointer texts = memory.of(descriptors);
      handle.call(client -> SPV.spv_wallet_watch(client, text(name), texts, new Abi.Size(descriptors.size()), wanted));
    }
  }

  private static Abi.spv_wallet_options walletOptions(WalletOptions given, Memories memory) {
    Abi.spv_wallet_options out = new Abi.spv_wallet_options().sized(Abi.spv_wallet_options.class);
    out.script = memory.of(given.script);
    out.account = given.account;
    out.gap_limit = given.gapLimit;
    out.has_birthday = given.hasBirthday;
    out.birthday = given.birthday;
    out.passphrase = memory.secret(given.passphrase);
    out.passphrase_size = Memories.sizeOf(given.passphrase);
    out.bip39_passphrase = memory.secret(given.bip39Passphrase);
    out.bip39_passphrase_size = Memories.sizeOf(given.bip39Passphrase);
    out.words = given.words;
    return out;
  }

  /** Opens a wallet in the data directory. */
  public void openWallet(String name) {
    handle.call(client -> SPV.spv_wallet_open(client, text(name)));
  }

  /** Opens many wallets, which is quicker than one by one. All or none. */
  public void openWallets(List<String> names) {
    try (Memories memory = new Memories()) {
      Pointer texts = memory.of(names);
      handle.call(client -> SPV.spv_wallets_open(client, texts, new Abi.Size(names.size())));
    }
  }

  /** Closes a wallet: it is no longer watched. */
  public void closeWallet(String name) {
    handle.call(client -> SPV.spv_wallet_close(client, text(name)));
  }

  /** The names of all wallets in the data directory, open or not. */
  public List<String> wallets() {
    return list(SPV::spv_get_wallets, Values::name);
  }

  // --- sync ---

  /** Syncs all open wallets, including those opened later, on a thread of the library. */
  public void start() {
    handle.call(SPV::spv_start);
  }

  /** Ends the sync. When it returns, everything found is on disk. */
  public void stop() {
    handle.call(SPV::spv_stop);
  }

  /** Same as stop(), for an app that goes to the background. */
  public void pause() {
    handle.call(SPV::spv_pause);
  }

  /** Continues a paused sync. */
  public void resume() {
    handle.call(SPV::spv_resume);
  }

  /** Drops all peers and reconnects: call it when the network connection changes. */
  public void networkChanged() {
    handle.call(SPV::spv_network_changed);
  }

  /** Sets the remaining byte budget, from the next start on; 0: unlimited. */
  public void setByteBudget(long bytes) {
    handle.call(client -> SPV.spv_set_byte_budget(client, positive(bytes)));
  }

  // --- events ---

  /**
   * The next live event; null if none comes in time. A null timeout waits forever. One thread at a time reads them.
   * Throws {@link SpvException.Closed} when the client is closed.
   */
  public Spv.Event nextEvent(Duration timeout) throws InterruptedException {
    if (!reader.tryLock()) throw new SpvException.State("another thread is reading live events");
    try {
      long end = timeout == null ? Long.MAX_VALUE : System.nanoTime() + timeout.toNanos();
      for (;;) {
        if (Thread.interrupted()) throw new InterruptedException();
        long left = timeout == null ? WAIT_MS : Math.max(0, (end - System.nanoTime()) / 1_000_000);
        Spv.Event event = nextEvent((int) Math.min(WAIT_MS, left));
        if (event != null || (timeout != null && System.nanoTime() >= end)) return event;
      }
    } finally {
      reader.unlock();
    }
  }

  private Spv.Event nextEvent(int waitMs) {
    Abi.spv_event event = new Abi.spv_event().sized(Abi.spv_event.class);
    try {
      // Before close() can free the texts of the event.
      return handle.call(client -> SPV.spv_next_event(client, waitMs, event), () -> Values.event(event));
    } catch (SpvException.Timeout none) {
      return null;
    }
  }

  /** Live events, for one subscriber at a time; completes when the client is closed. */
  public Flow.Publisher<Spv.Event> liveEvents() {
    return new EventPublisher<>(handle, () -> () -> {
      try {
        Spv.Event event = nextEvent(Duration.ofMillis(WAIT_MS));
        return event == null ? List.of() : List.of(event);
      } catch (InterruptedException error) {
        throw new SpvException.Closed();
      }
    });
  }

  /** The log above `after`, in order, waiting for more; completes when the client is closed. Null: all wallets. */
  public Flow.Publisher<Spv.LoggedEvent> events(long after, String wallet) {
    return new EventPublisher<>(handle, () -> new EventPublisher.Source<>() {
      private long last = after;

      @Override
      public List<Spv.LoggedEvent> next() {
        List<Spv.LoggedEvent> found = readLog(SPV::spv_get_all_events, last, AT_ONCE, WAIT_MS, wallet);
        if (!found.isEmpty()) last = found.get(found.size() - 1).seq();
        return found;
      }
    });
  }

  /** The same for a loop: waits for more, and ends when the client is closed. */
  public Iterable<Spv.LoggedEvent> log(long after, String wallet) {
    return () -> new EventLog(last -> readLog(SPV::spv_get_all_events, last, AT_ONCE, Integer.MAX_VALUE, wallet), after);
  }

  /** At most `limit` events of the log above `after`, of one wallet or (null) of all; does not wait. */
  public List<Spv.LoggedEvent> getEvents(long after, long limit, String wallet) {
    return readLog(SPV::spv_get_all_events, after, limit, 0, wallet);
  }

  /** The same for events of transactions alone. */
  public List<Spv.LoggedEvent> getTransactionEvents(long after, long limit, String wallet) {
    return readLog(SPV::spv_get_events, after, limit, 0, wallet);
  }

  private interface ReadLog {
    int apply(Pointer client, long after, Abi.Size limit, int timeoutMs, byte[] wallet, PointerByReference out);
  }

  private List<Spv.LoggedEvent> readLog(ReadLog read, long after, long limit, int waitMs, String wallet) {
    Abi.Size most = new Abi.Size(positive(limit));
    return list((client, out) -> read.apply(client, after, most, waitMs, text(wallet), out), Values::loggedEvent);
  }

  /** The stored position of a consumer; 0 for one that has acknowledged nothing. */
  public long consumerPosition(String consumer) {
    LongByReference seq = new LongByReference();
    handle.call(client -> SPV.spv_consumer_position(client, text(consumer), seq));
    return seq.getValue();
  }

  /** Stores it: the consumer has dealt with all events up to `seq`. */
  public void acknowledge(String consumer, long seq) {
    handle.call(client -> SPV.spv_consumer_acknowledge(client, text(consumer), seq));
  }

  // --- contents of a wallet ---

  /** The balance of an open wallet. */
  public Spv.Balance balance(String wallet) {
    Abi.spv_balance out = new Abi.spv_balance().sized(Abi.spv_balance.class);
    handle.call(client -> SPV.spv_get_balance(client, text(wallet), out));
    return new Spv.Balance(out.confirmed, out.unconfirmed, out.immature, out.total);
  }

  /** The first unused receive (or change) address; `next` selects one never handed out before. */
  public String address(String wallet, boolean next, boolean change) {
    return take((client, out) -> SPV.spv_get_address(client, text(wallet), number(next), number(change), out));
  }

  /** The height up to which the wallet is scanned. */
  public int scanned(String wallet) {
    IntByReference height = new IntByReference();
    handle.call(client -> SPV.spv_get_scanned(client, text(wallet), height));
    return height.getValue();
  }

  /** Unspent outputs. */
  public List<Spv.Coin> coins(String wallet) {
    return list((client, out) -> SPV.spv_get_coins(client, text(wallet), out), Values::coin);
  }

  /** Transactions, newest first. */
  public List<Spv.Tx> history(String wallet) {
    return list((client, out) -> SPV.spv_get_history(client, text(wallet), out), Values::tx);
  }

  /** One transaction of the wallet. */
  public Spv.Tx transaction(String wallet, String txid) {
    return list((client, out) -> SPV.spv_get_transaction(client, text(wallet), text(txid), out), Values::tx).get(0);
  }

  /** All addresses that were handed out or used, and those watched beyond them. */
  public List<Spv.Address> addresses(String wallet) {
    return list((client, out) -> SPV.spv_get_addresses(client, text(wallet), out), Values::address);
  }

  /** A text that proves that this transaction is in a block. */
  public String proof(String wallet, String txid) {
    return take((client, out) -> SPV.spv_get_proof(client, text(wallet), text(txid), out));
  }

  /** Checks such a proof against the local headers. */
  public Spv.ProofFacts verifyProof(String proof) {
    IntByReference height = new IntByReference();
    IntByReference confirmations = new IntByReference();
    byte[] raw = text(proof);
    handle.call(client -> SPV.spv_verify_proof(client, raw, new Abi.Size(raw.length - 1), height, confirmations));
    return new Spv.ProofFacts(height.getValue(), confirmations.getValue());
  }

  // --- spending ---

  /** Chooses coins and change; nothing is signed or stored. */
  public Spv.Payment createPayment(String wallet, List<Spv.Recipient> recipients, PaymentOptions options) {
    return paid(recipients, options, wanted -> payment(
        (client, out) -> SPV.spv_payment_create(client, text(wallet), wanted, out)));
  }

  /** The same for the replacement of an unconfirmed payment at a higher fee rate. */
  public Spv.Payment createBump(String wallet, String txid, long feeRate, int psbtVersion) {
    return payment((client, out) ->
        SPV.spv_payment_create_bump(client, text(wallet), text(txid), feeRate, psbtVersion, out));
  }

  /**
   * Creates, signs, checks and stores a payment, and sends it; a sync runs. An error means that nothing was sent. After a
   * success do not make the payment again: it is sent again by itself. The passphrase of an unencrypted wallet is null.
   */
  public Spv.Payment send(String wallet, List<Spv.Recipient> recipients, PaymentOptions options, byte[] passphrase) {
    return paid(recipients, options, wanted -> signed(passphrase, (secret, size) -> payment((client, out) ->
        SPV.spv_payment_send(client, text(wallet), wanted, secret, size, out))));
  }

  /** The same, signed by keys that are held elsewhere. */
  public Spv.Payment send(String wallet, List<Spv.Recipient> recipients, PaymentOptions options, Spv.Signer signer) {
    return paid(recipients, options, wanted -> signed(signer, bridge -> payment((client, out) ->
        SPV.spv_payment_send_with(client, text(wallet), wanted, bridge, out))));
  }

  /** Replaces an unconfirmed payment of the wallet by the same one at a higher fee rate. */
  public Spv.Payment bump(String wallet, String txid, long feeRate, byte[] passphrase) {
    return signed(passphrase, (secret, size) -> payment((client, out) ->
        SPV.spv_payment_bump(client, text(wallet), text(txid), feeRate, secret, size, out)));
  }

  /** The same, signed by keys that are held elsewhere. */
  public Spv.Payment bump(String wallet, String txid, long feeRate, Spv.Signer signer) {
    return signed(signer, bridge -> payment((client, out) ->
        SPV.spv_payment_bump_with(client, text(wallet), text(txid), feeRate, bridge, out)));
  }

  /** Replaces an unconfirmed payment of the wallet by one that returns all of it to the wallet. */
  public Spv.Payment cancel(String wallet, String txid, long feeRate, byte[] passphrase) {
    return signed(passphrase, (secret, size) -> payment((client, out) ->
        SPV.spv_payment_cancel(client, text(wallet), text(txid), feeRate, secret, size, out)));
  }

  /** Gives up a payment that no peer has taken: its coins are free again. */
  public void abandon(String wallet, String txid) {
    handle.call(client -> SPV.spv_payment_abandon(client, text(wallet), text(txid)));
  }

  /** Adds the wallet's signatures to a PSBT. */
  public String signPsbt(String wallet, String psbt, boolean allowHighFee, byte[] passphrase) {
    return signed(passphrase, (secret, size) -> take((client, out) ->
        SPV.spv_psbt_sign(client, text(wallet), text(psbt), number(allowHighFee), secret, size, out)));
  }

  /** The same, by keys that are held elsewhere; the wallet may be watch-only. */
  public String signPsbt(String wallet, String psbt, boolean allowHighFee, Spv.Signer signer) {
    return signed(signer, bridge -> take((client, out) ->
        SPV.spv_psbt_sign_with(client, text(wallet), text(psbt), number(allowHighFee), bridge, out)));
  }

  /** All signatures that the PSBTs of one transaction have. */
  public String combinePsbts(List<String> psbts) {
    try (Memories memory = new Memories()) {
      Pointer texts = memory.of(psbts);
      return take((client, out) -> SPV.spv_psbt_combine(client, texts, new Abi.Size(psbts.size()), out));
    }
  }

  /** Makes scripts and witnesses from the signatures; fails if some are missing. */
  public String finalizePsbt(String psbt) {
    return take((client, out) -> SPV.spv_psbt_finalize(client, text(psbt), out));
  }

  /** The transaction of a complete PSBT, in hex. */
  public String extractTransaction(String psbt) {
    return take((client, out) -> SPV.spv_psbt_extract(client, text(psbt), out));
  }

  /** Sends a finished transaction, in hex or as a complete PSBT, and returns its txid; a sync runs. */
  public String broadcast(String transaction) {
    return take((client, out) -> SPV.spv_broadcast(client, text(transaction), out));
  }

  /** Asks the peers for their fees; a live event of the type FEES is the answer. */
  public void requestFees() {
    handle.call(SPV::spv_request_fees);
  }

  // --- inside ---

  private static byte[] text(String text) {
    return Memories.text(text);
  }

  private static int number(boolean flag) {
    return flag ? 1 : 0;
  }

  private static long positive(long number) {
    if (number < 0) throw new SpvException.InvalidArgument(number + " is negative");
    return number;
  }

  private String take(Call call) {
    PointerByReference out = new PointerByReference();
    handle.call(client -> call.apply(client, out));
    return Values.take(out);
  }

  private <T> List<T> list(Call call, BiFunction<Pointer, Abi.Size, T> item) {
    PointerByReference out = new PointerByReference();
    handle.call(client -> call.apply(client, out));
    return Values.list(out, item);
  }

  private Spv.Payment payment(Call call) {
    PointerByReference out = new PointerByReference();
    handle.call(client -> call.apply(client, out));
    return Values.payment(out);
  }

  private static <T> T signed(byte[] passphrase, BiFunction<Pointer, Abi.Size, T> call) {
    try (Memories memory = new Memories()) {
      return call.apply(memory.secret(passphrase), Memories.sizeOf(passphrase));
    }
  }

  private static <T> T signed(Spv.Signer signer, Function<Abi.spv_signer, T> call) {
    SignerBridge bridge = new SignerBridge(signer);
    try {
      return call.apply(bridge.struct());
    } catch (SpvException error) {
      throw bridge.reason(error);
    }
  }

  private static Spv.Payment paid(List<Spv.Recipient> recipients, PaymentOptions given,
      Function<Abi.spv_payment_options, Spv.Payment> pay) {
    try (Memories memory = new Memories()) {
      Abi.spv_payment_options out = new Abi.spv_payment_options().sized(Abi.spv_payment_options.class);
      out.recipients = recipients(recipients, memory);
      out.recipient_count = new Abi.Size(recipients.size());
      out.fee_rate = given.feeRate;
      if (given.coins.length > 0) out.coins = memory.of(List.of(given.coins));
      out.coin_count = new Abi.Size(given.coins.length);
      out.change = memory.of(given.change);
      out.subtract_fee = number(given.subtractFee);
      out.spend_unconfirmed = number(given.spendUnconfirmed);
      out.allow_high_fee = number(given.allowHighFee);
      out.allow_low_fee = number(given.allowLowFee);
      out.psbt_version = given.psbtVersion;
      return pay.apply(out);
    }
  }

  private static Pointer recipients(List<Spv.Recipient> recipients, Memories memory) {
    int size = new Abi.spv_recipient().size();
    Pointer out = memory.bytes(new byte[Math.max(1, recipients.size()) * size]);
    for (int i = 0; i < recipients.size(); ++i) {
      out.setPointer((long) i * size, memory.of(recipients.get(i).address()));
      out.setLong((long) i * size + size - Long.BYTES, recipients.get(i).amount());
    }
    return out;
  }
}
