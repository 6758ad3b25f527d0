'use strict';
// The numbers of spv.h; a test compares them.
module.exports = {
  ErrorCode: Object.freeze({
    OK: 0, INVALID_ARGUMENT: -1, NOT_FOUND: -2, EXISTS: -3, LOCKED: -4, DAMAGED: -5, STORAGE: -6, WRONG_NETWORK: -7,
    NETWORK: -8, STATE: -9, SECRET: -10, UNSUPPORTED: -11, INVALID_PROOF: -12, BUDGET: -13, INTERNAL: -14, TIMEOUT: -15,
    CLOCK: -16, REFUSED: -17, INVALID_PSBT: -18,
  }),
  Network: Object.freeze({ TESTNET: 1, TESTNET4: 2, SIGNET: 3, REGTEST: 4, MAIN: 5 }),
  Transport: Object.freeze({ AUTO: 0, V1: 1, V2: 2 }),
  CrossCheck: Object.freeze({ SAMPLE: 0, OFF: 1, FULL: 2 }),
  Source: Object.freeze({ FILTER: 0, BLOCKS: 1, AUTO: 2, COMPACT: 3 }),
  TxState: Object.freeze({ CONFIRMED: 0, UNCONFIRMED: 1, CONFLICTED: 2 }),
  EventType: Object.freeze({
    PROGRESS: 1, TIP: 2, TRANSACTION: 3, REORG: 4, CONFLICT: 5, PEER: 6, WARNING: 7, SYNCED: 8, STOPPED: 9, BROADCAST: 10,
    FEES: 11, WALLET: 12,
  }),
  WalletEventState: Object.freeze({ ADDED: 0, SYNCED: 1, REMOVED: 2 }),
  TxEventState: Object.freeze({ UNCONFIRMED: 0, CONFIRMED: 1, CONFLICTED: 2, FORGOTTEN: 3, LOCKED: 4, ABANDONED: 5 }),
  BroadcastState: Object.freeze({ UNCERTAIN: 0, ANNOUNCED: 1, FETCHED: 2, ACCEPTED: 3, CONFIRMED: 4 }),
};
