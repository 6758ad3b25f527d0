'use strict';
// Client: a data directory, its open wallets, and their sync. libspv_node.c runs the functions; here are the class, the
// errors and the event streams.
const fs = require('node:fs');
const path = require('node:path');
const enums = require('./enums.js');
const { errorOf, errors, ClosedError, InvalidArgumentError, StateError } = require('./errors.js');

const AT_ONCE = 100;
// After which the log is read without a signal: other processes write to it, too.
const LOOK_AGAIN_MS = 1000;
// Live events that wait for one reader; then the oldest are dropped.
const MAX_WAITING = 10_000;

function load() {
  const file = process.env.SPV_NODE_ADDON || [path.join(__dirname, 'prebuilds', `${process.platform}-${process.arch}`, 'libspv.node'),
    path.join(__dirname, 'build', 'libspv.node')].find((each) => fs.existsSync(each));
  if (!file) {
    throw new Error(`libspv has no prebuilt module for ${process.platform}-${process.arch}: install libspv-dev and a C ` +
      'compiler, and run: npm explore libspv -- npm run build');
  }
  try {
    return require(file);
  } catch (error) {
    throw new Error(`cannot load ${file}: ${error.message}. On Debian 12 it needs: apt-get install libsecp256k1-1 ` +
      'libssl3 libsqlite3-0 libutf8proc2 libpq5');
  }
}
const native = load();

const open = new Set();
process.on('exit', () => { for (const handle of open) native.closeNow(handle); });
const forgotten = new FinalizationRegistry((state) => {
  if (!state.closed) process.emitWarning('a libspv client was never closed: call close()', 'ResourceWarning');
});

/** Wakes those who wait, on one event loop. */
class Signal {
  #waiting = new Set();

  /** True at the next wake(); false after the time is over. Keeps the process alive meanwhile. */
  wait(timeoutMs) {
    return new Promise((resolve) => {
      const done = (woken) => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve(woken);
      };
      const timer = setTimeout(done, timeoutMs, false);
      this.#waiting.add(done);
    });
  }

  wake() {
    for (const each of [...this.#waiting]) each(true);
  }
}

/** Live events from now on, until the client is closed. */
class LiveEvents {
  #waiting = [];
  #signal = new Signal();
  #ended = false;
  #leave;

  constructor(join) {
    this.#leave = join((event) => this.#hear(event));
  }

  #hear(event) {
    if (event === null) this.#ended = true;
    else if (this.#waiting.push(event) > MAX_WAITING) this.#waiting.shift();
    this.#signal.wake();
  }

  async next() {
    while (this.#waiting.length === 0) {
      if (this.#ended) return { done: true, value: undefined };
      await this.#signal.wait(2 ** 30);
    }
    return { done: false, value: this.#waiting.shift() };
  }

  async return() {
    this.#leave();
    this.#hear(null);
    this.#waiting = [];
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

function textsOf(recipients) {
  if (!Array.isArray(recipients)) throw new InvalidArgumentError('recipients is an array of { address, amount }');
  return [recipients.map((each) => each.address), recipients.map((each) => each.amount)];
}

function paymentArguments(wallet, recipients, options = {}) {
  const { coins = [], feeRate, change, subtractFee, spendUnconfirmed, allowHighFee, allowLowFee, psbtVersion, ...rest } = options;
  refuseUnknown(rest);
  return [wallet, ...textsOf(recipients), coins, feeRate, change, subtractFee, spendUnconfirmed, allowHighFee,
    allowLowFee, psbtVersion];
}

function walletArguments(options) {
  const { script, account, gapLimit, birthdayHeight, birthdayTime, words, passphrase, bip39Passphrase, ...rest } = options;
  refuseUnknown(rest);
  if (birthdayHeight != null && birthdayTime != null) throw new InvalidArgumentError('a birthday is a height or a time, not both');
  const kind = birthdayHeight != null ? 1 : birthdayTime != null ? 2 : 0;
  return [script, account, gapLimit, kind, birthdayHeight ?? birthdayTime, words, passphrase, bip39Passphrase];
}

function openArguments(options) {
  const { dataDir, network, peers = [], peerCount, proxy, fpRate, mempoolWaitMs, once, wholeBlocks, byteBudget, transport,
    crossCheck, source, plainOnLoopback, maxDownload, timeoutMs, skipClockCheck, database, followAll, onlyBloomFilters,
    ...rest } = options;
  refuseUnknown(rest);
  return [dataDir, network, peers, peerCount, proxy, fpRate, mempoolWaitMs, once, wholeBlocks, byteBudget, transport,
    crossCheck, source, plainOnLoopback, maxDownload, timeoutMs, skipClockCheck, database, followAll,
    onlyBloomFilters];
}

function refuseUnknown(rest) {
  const names = Object.keys(rest);
  if (names.length > 0) throw new InvalidArgumentError(`no such option: ${names.join(', ')}`);
}

/** What the native module throws for arguments is an error like the others. */
async function typed(begin) {
  try {
    return await begin();
  } catch (error) {
    if (error instanceof TypeError && error.code === 'SPV_ERR_INVALID_ARGUMENT') throw new InvalidArgumentError(error.message);
    if (error instanceof Error) throw error;
    throw errorOf(error.code, error.message || native.errorName(error.code));
  }
}

class Client {
  #handle = native.make();
  #state = { closed: false };
  #calls = new Set();
  #listeners = new Set();
  #closing = null;

  /** Opens a data directory. */
  static async open(options) {
    const client = new Client();
    try {
      await typed(() => native.open(client.#handle, ...openArguments(options)));
    } catch (error) {
      await native.close(client.#handle);
      client.#state.closed = true;
      throw error;
    }
    open.add(client.#handle);
    forgotten.register(client, client.#state);
    return client;
  }

  async #call(name, ...args) {
    if (this.#closing) throw new ClosedError();
    const call = typed(() => native.call(this.#handle, name, ...args));
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  get closed() { return this.#closing !== null; }

  /** Stops the sync and saves everything; ends all event streams. May be called again. */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    await null;  // so that #closing is set
    for (const each of [...this.#listeners]) each(null);
    this.#listeners.clear();
    for (;;) {
      const closed = native.close(this.#handle);
      if (closed !== null) {
        await closed;
        break;
      }
      await Promise.allSettled([...this.#calls]);
    }
    this.#state.closed = true;
    open.delete(this.#handle);
  }

  createWallet(name, options = {}) { return this.#wallet('wallet_create', [name], options); }
  restoreWallet(name, mnemonic, options = {}) { return this.#wallet('wallet_restore', [name, mnemonic], options); }
  watchWallet(name, descriptors, options = {}) { return this.#wallet('wallet_watch', [name, descriptors], options); }
  async #wallet(what, first, options) { return this.#call(what, ...first, ...walletArguments(options)); }
  openWallet(name) { return this.#call('wallet_open', name); }
  openWallets(names) { return this.#call('wallets_open', names); }
  closeWallet(name) { return this.#call('wallet_close', name); }
  wallets() { return this.#call('get_wallets'); }

  start() { return this.#call('start'); }
  stop() { return this.#call('stop'); }
  pause() { return this.#call('pause'); }
  resume() { return this.#call('resume'); }
  networkChanged() { return this.#call('network_changed'); }
  setByteBudget(bytes) { return this.#call('set_byte_budget', bytes); }

  balance(wallet) { return this.#call('get_balance', wallet); }
  address(wallet, { next = false, change = false } = {}) { return this.#call('get_address', wallet, next, change); }
  scanned(wallet) { return this.#call('get_scanned', wallet); }
  coins(wallet) { return this.#call('get_coins', wallet); }
  history(wallet) { return this.#call('get_history', wallet); }
  transaction(wallet, txid) { return this.#call('get_transaction', wallet, txid); }
  addresses(wallet) { return this.#call('get_addresses', wallet); }
  proof(wallet, txid) { return this.#call('get_proof', wallet, txid); }
  verifyProof(proof) { return this.#call('verify_proof', proof); }

  /** What the log has above `after`, at most `limit`; does not wait. */
  getEvents({ after = 0, limit = AT_ONCE, wallet, transactionsOnly = false } = {}) {
    return this.#call(transactionsOnly ? 'get_events' : 'get_all_events', after, limit, wallet);
  }

  /** The log above `after`, in order, waiting for more until the client is closed. Throws when the sync stops by itself. */
  async *events({ after = 0, wallet } = {}) {
    const signal = new Signal();
    let failure = null;
    let heard = false;
    const leave = this.#closing ? () => {} : this.#join((event) => {
      if (event?.type === enums.EventType.STOPPED && event.code !== 0) {
        failure = errorOf(event.code, `sync stopped: ${event.message}`);
      }
      heard = true;
      signal.wake();
    });
    try {
      for (;;) {
        heard = false;
        const failed = failure;
        const found = await this.getEvents({ after, wallet });
        for (const event of found) {
          after = event.seq;
          yield event;
        }
        if (found.length > 0) continue;
        if (failed) throw failed;  // all before it has been read
        if (!heard) await signal.wait(LOOK_AGAIN_MS);
      }
    } catch (error) {
      if (!(error instanceof ClosedError)) throw error;
    } finally {
      leave();
    }
  }

  /** Progress, peers, broadcasts, fees and the rest, which are not stored; from now on. */
  liveEvents() { return new LiveEvents((listener) => this.#join(listener)); }

  #join(listener) {
    if (this.#closing) {
      listener(null);
      return () => {};
    }
    if (this.#listeners.size === 0) native.watch(this.#handle, () => this.#readEvents());
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) native.unwatch(this.#handle);
    };
  }

  #readEvents() {
    for (let i = 0; i < AT_ONCE; ++i) {  // then it is somebody else's turn on the loop
      const event = native.nextEvent(this.#handle);
      if (event === null) return;
      for (const each of [...this.#listeners]) each(event);
    }
  }

  consumerPosition(consumer) { return this.#call('consumer_position', consumer); }
  acknowledge(consumer, seq) { return this.#call('consumer_acknowledge', consumer, seq); }

  async createPayment(wallet, recipients, options) {
    return this.#call('payment_create', ...paymentArguments(wallet, recipients, options));
  }
  createBump(wallet, txid, feeRate, psbtVersion = 0) {
    return this.#call('payment_create_bump', wallet, txid, feeRate, psbtVersion);
  }
  async send(wallet, recipients, { passphrase, signer, ...options } = {}) {
    const args = paymentArguments(wallet, recipients, options);
    return signer ? this.#signed(signer, 'payment_send_with', ...args) : this.#call('payment_send', passphrase, ...args);
  }
  bump(wallet, txid, feeRate, { passphrase, signer } = {}) {
    return signer ? this.#signed(signer, 'payment_bump_with', wallet, txid, feeRate)
      : this.#call('payment_bump', wallet, txid, feeRate, passphrase);
  }
  cancel(wallet, txid, feeRate, { passphrase } = {}) { return this.#call('payment_cancel', wallet, txid, feeRate, passphrase); }
  abandon(wallet, txid) { return this.#call('payment_abandon', wallet, txid); }

  signPsbt(wallet, psbt, { passphrase, signer, allowHighFee = false } = {}) {
    return signer ? this.#signed(signer, 'psbt_sign_with', wallet, psbt, allowHighFee)
      : this.#call('psbt_sign', wallet, psbt, allowHighFee, passphrase);
  }
  combinePsbts(psbts) { return this.#call('psbt_combine', psbts); }
  finalizePsbt(psbt) { return this.#call('psbt_finalize', psbt); }
  extractTransaction(psbt) { return this.#call('psbt_extract', psbt); }
  broadcast(transaction) { return this.#call('broadcast', transaction); }
  requestFees() { return this.#call('request_fees'); }

  /** The signer is asked on this event loop; its error is the error of the payment. */
  async #signed(signer, name, ...args) {
    let failure = null;
    const ask = (id, schnorr, publicKey, fingerprint, path, digest) => {
      Promise.resolve().then(() => (schnorr ? signer.schnorr : signer.ecdsa).call(signer, { publicKey, fingerprint, path }, digest))
        .then((signature) => Buffer.from(signature))
        .catch((error) => { failure = error; })
        .then((signature) => native.answer(this.#handle, id, signature ?? null));
    };
    ask.schnorr = typeof signer.schnorr === 'function';
    try {
      return await this.#call(name, ask, ...args);
    } catch (error) {
      throw failure ?? error;
    }
  }
}
if (Symbol.asyncDispose) Client.prototype[Symbol.asyncDispose] = Client.prototype.close;

module.exports = {
  Client, version: native.version, AMOUNT_ALL: -1n,
  ErrorCode: enums.ErrorCode, Network: enums.Network, Transport: enums.Transport, CrossCheck: enums.CrossCheck,
  Source: enums.Source, TxState: enums.TxState, EventType: enums.EventType, WalletEventState: enums.WalletEventState,
  TxEventState: enums.TxEventState, BroadcastState: enums.BroadcastState,
  SpvError: errors.SpvError, InvalidArgumentError, NotFoundError: errors.NotFoundError, ExistsError: errors.ExistsError,
  LockedError: errors.LockedError, DamagedError: errors.DamagedError, StorageError: errors.StorageError,
  WrongNetworkError: errors.WrongNetworkError, NetworkError: errors.NetworkError, StateError, ClosedError,
  SecretError: errors.SecretError, UnsupportedError: errors.UnsupportedError, InvalidProofError: errors.InvalidProofError,
  BudgetError: errors.BudgetError, InternalError: errors.InternalError, TimeoutError: errors.TimeoutError,
  ClockError: errors.ClockError, RefusedError: errors.RefusedError, InvalidPsbtError: errors.InvalidPsbtError,
};
