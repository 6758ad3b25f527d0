// Amounts are in satoshis, as BigInt. Options have the names of spv_options in spv.h; undefined is the default.
type Values<T> = T[keyof T];

export declare const ErrorCode: {
  readonly OK: 0; readonly INVALID_ARGUMENT: -1; readonly NOT_FOUND: -2; readonly EXISTS: -3; readonly LOCKED: -4;
  readonly DAMAGED: -5; readonly STORAGE: -6; readonly WRONG_NETWORK: -7; readonly NETWORK: -8; readonly STATE: -9;
  readonly SECRET: -10; readonly UNSUPPORTED: -11; readonly INVALID_PROOF: -12; readonly BUDGET: -13;
  readonly INTERNAL: -14; readonly TIMEOUT: -15; readonly CLOCK: -16; readonly REFUSED: -17; readonly INVALID_PSBT: -18;
};
export type ErrorCode = Values<typeof ErrorCode>;
export declare const Network: {
  readonly TESTNET: 1; readonly TESTNET4: 2; readonly SIGNET: 3; readonly REGTEST: 4; readonly MAIN: 5;
};
export type Network = Values<typeof Network>;
export declare const Transport: { readonly AUTO: 0; readonly V1: 1; readonly V2: 2 };
export type Transport = Values<typeof Transport>;
export declare const CrossCheck: { readonly SAMPLE: 0; readonly OFF: 1; readonly FULL: 2 };
export type CrossCheck = Values<typeof CrossCheck>;
export declare const Source: { readonly FILTER: 0; readonly BLOCKS: 1; readonly AUTO: 2; readonly COMPACT: 3 };
export type Source = Values<typeof Source>;
export declare const TxState: { readonly CONFIRMED: 0; readonly UNCONFIRMED: 1; readonly CONFLICTED: 2 };
export type TxState = Values<typeof TxState>;
export declare const EventType: {
  readonly PROGRESS: 1; readonly TIP: 2; readonly TRANSACTION: 3; readonly REORG: 4; readonly CONFLICT: 5;
  readonly PEER: 6; readonly WARNING: 7; readonly SYNCED: 8; readonly STOPPED: 9; readonly BROADCAST: 10;
  readonly FEES: 11; readonly WALLET: 12;
};
export type EventType = Values<typeof EventType>;
export declare const WalletEventState: { readonly ADDED: 0; readonly SYNCED: 1; readonly REMOVED: 2 };
export type WalletEventState = Values<typeof WalletEventState>;
export declare const TxEventState: {
  readonly UNCONFIRMED: 0; readonly CONFIRMED: 1; readonly CONFLICTED: 2; readonly FORGOTTEN: 3; readonly LOCKED: 4;
  readonly ABANDONED: 5;
};
export type TxEventState = Values<typeof TxEventState>;
export declare const BroadcastState: {
  readonly UNCERTAIN: 0; readonly ANNOUNCED: 1; readonly FETCHED: 2; readonly ACCEPTED: 3; readonly CONFIRMED: 4;
};
export type BroadcastState = Values<typeof BroadcastState>;

/** The version of the C library, such as "0.1.0". */
export declare const version: string;
/** The amount of a recipient that takes all that is left. */
export declare const AMOUNT_ALL: -1n;

export declare class SpvError extends Error { readonly code: number }
export declare class InvalidArgumentError extends SpvError {}
export declare class NotFoundError extends SpvError {}
export declare class ExistsError extends SpvError {}
export declare class LockedError extends SpvError {}
export declare class DamagedError extends SpvError {}
export declare class StorageError extends SpvError {}
export declare class WrongNetworkError extends SpvError {}
export declare class NetworkError extends SpvError {}
export declare class StateError extends SpvError {}
export declare class ClosedError extends StateError {}
export declare class SecretError extends SpvError {}
export declare class UnsupportedError extends SpvError {}
export declare class InvalidProofError extends SpvError {}
export declare class BudgetError extends SpvError {}
export declare class InternalError extends SpvError {}
export declare class TimeoutError extends SpvError {}
export declare class ClockError extends SpvError {}
export declare class RefusedError extends SpvError {}
export declare class InvalidPsbtError extends SpvError {}

export interface Options {
  dataDir: string;
  network: Network;
  peers?: readonly string[];
  peerCount?: number;
  proxy?: string;
  fpRate?: number;
  mempoolWaitMs?: number;
  once?: boolean;
  wholeBlocks?: boolean;
  byteBudget?: number | bigint;
  transport?: Transport;
  crossCheck?: CrossCheck;
  source?: Source;
  plainOnLoopback?: -1 | 0 | 1;
  maxDownload?: number | bigint;
  timeoutMs?: number;
  skipClockCheck?: boolean;
  database?: string;
  followAll?: boolean;
  onlyBloomFilters?: boolean;
}

/** A Buffer can be overwritten after use; a string cannot. */
export type Secret = string | Uint8Array;
export interface WatchOptions { gapLimit?: number; birthdayHeight?: number; birthdayTime?: number }
export interface CreateOptions { script?: string; account?: number; gapLimit?: number; words?: number; passphrase?: Secret }
export interface RestoreOptions extends WatchOptions {
  script?: string; account?: number; passphrase?: Secret; bip39Passphrase?: Secret;
}

export interface Balance { confirmed: bigint; unconfirmed: bigint; immature: bigint; total: bigint }
export interface Coin {
  txid: string; vout: number; amount: bigint; address: string | null; path: string; height: number | null;
  confirmations: number; spendable: boolean;
}
export interface Tx {
  txid: string; net: bigint; fee: bigint | null; time: number; height: number | null; block: string | null;
  confirmations: number; state: TxState; replacedBy: string | null;
}
export interface Address { address: string; path: string; received: bigint; used: boolean }
export interface PaidOutput { address: string | null; amount: bigint; vout: number; chain: number; index: number }
/** An event of the log. `type` says which fields are set, as in spv.h. */
export interface LoggedEvent {
  seq: number; time: number; type: EventType; wallet: string | null; txid: string | null; block: string | null;
  replacedBy: string | null; net: bigint; height: number | null; state: TxEventState | WalletEventState;
  other: string | null; outputs: PaidOutput[];
}
/** A live event, which is not stored. */
export interface Event {
  type: EventType; code: number; wallet: string | null; txid: string | null; hash: string | null; other: string | null;
  message: string | null; net: bigint; height: number | null; scanned: number; peers: number; bytesIn: number;
  bytesOut: number; state: BroadcastState | TxEventState; isFinal: boolean; feeFloor: bigint; feeEstimate: bigint;
}

/** AMOUNT_ALL: all that is left. */
export interface Recipient { address: string; amount: bigint | number }
export interface PaymentOptions {
  /** TXID:VOUT; if set, exactly these coins are spent. */
  coins?: readonly string[];
  /** Satoshis per 1,000 virtual bytes. */
  feeRate?: bigint | number;
  change?: string;
  subtractFee?: boolean;
  spendUnconfirmed?: boolean;
  allowHighFee?: boolean;
  allowLowFee?: boolean;
  psbtVersion?: 0 | 2;
}
export interface Payment {
  txid: string; hex: string; psbt: string | null; fee: bigint; vsize: number;
  inputs: { txid: string; vout: number; amount: bigint }[];
  outputs: { address: string | null; amount: bigint; change: boolean }[];
}
export interface SignerKey { publicKey: Uint8Array; fingerprint: Uint8Array | null; path: number[] | null }
/** Keys that are held elsewhere. Called on the event loop; each call must be answered. */
export interface Signer {
  /** DER with low S. */
  ecdsa(key: SignerKey, digest: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** 64 bytes, by the key with the tweak of BIP341. */
  schnorr?(key: SignerKey, digest: Uint8Array): Uint8Array | Promise<Uint8Array>;
}
export interface SigningOptions { passphrase?: Secret; signer?: Signer }

/** A data directory, its open wallets, and their sync. Nothing blocks the event loop. */
export declare class Client {
  private constructor();
  static open(options: Options): Promise<Client>;
  readonly closed: boolean;
  close(): Promise<void>;

  /** Returns the mnemonic, which is not shown again: overwrite it after use, with fill(0). */
  createWallet(name: string, options?: CreateOptions): Promise<Uint8Array>;
  restoreWallet(name: string, mnemonic: Secret, options?: RestoreOptions): Promise<void>;
  watchWallet(name: string, descriptors: readonly string[], options?: WatchOptions): Promise<void>;
  openWallet(name: string): Promise<void>;
  openWallets(names: readonly string[]): Promise<void>;
  closeWallet(name: string): Promise<void>;
  wallets(): Promise<string[]>;

  start(): Promise<void>;
  stop(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  networkChanged(): Promise<void>;
  setByteBudget(bytes: number | bigint): Promise<void>;

  balance(wallet: string): Promise<Balance>;
  address(wallet: string, options?: { next?: boolean; change?: boolean }): Promise<string>;
  scanned(wallet: string): Promise<number>;
  coins(wallet: string): Promise<Coin[]>;
  history(wallet: string): Promise<Tx[]>;
  transaction(wallet: string, txid: string): Promise<Tx>;
  addresses(wallet: string): Promise<Address[]>;
  proof(wallet: string, txid: string): Promise<string>;
  verifyProof(proof: string): Promise<{ height: number; confirmations: number }>;

  getEvents(options?: { after?: number; limit?: number; wallet?: string; transactionsOnly?: boolean }): Promise<LoggedEvent[]>;
  events(options?: { after?: number; wallet?: string }): AsyncGenerator<LoggedEvent, void, undefined>;
  liveEvents(): AsyncIterableIterator<Event>;
  consumerPosition(consumer: string): Promise<number>;
  acknowledge(consumer: string, seq: number): Promise<void>;

  createPayment(wallet: string, recipients: readonly Recipient[], options?: PaymentOptions): Promise<Payment>;
  createBump(wallet: string, txid: string, feeRate: bigint | number, psbtVersion?: 0 | 2): Promise<Payment>;
  send(wallet: string, recipients: readonly Recipient[], options?: PaymentOptions & SigningOptions): Promise<Payment>;
  bump(wallet: string, txid: string, feeRate: bigint | number, options?: SigningOptions): Promise<Payment>;
  cancel(wallet: string, txid: string, feeRate: bigint | number, options?: { passphrase?: Secret }): Promise<Payment>;
  abandon(wallet: string, txid: string): Promise<void>;
  signPsbt(wallet: string, psbt: string, options?: SigningOptions & { allowHighFee?: boolean }): Promise<string>;
  combinePsbts(psbts: readonly string[]): Promise<string>;
  finalizePsbt(psbt: string): Promise<string>;
  extractTransaction(psbt: string): Promise<string>;
  broadcast(transaction: string): Promise<string>;
  requestFees(): Promise<void>;
}
