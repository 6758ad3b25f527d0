'use strict';
// Tests of the package that need no node: names and numbers, errors, closing, secrets, streams, signers, memory.
//
// usage: libspv.test.js HEADER_JSON PACKAGE_SOURCE
const { test, after } = require('node:test');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const libspv = require('libspv');

const { Client, Network, EventType, WalletEventState } = libspv;
const header = JSON.parse(fs.readFileSync(process.argv[2], 'ascii'));
const source = process.argv[3];
const ADDRESS = 'addr(bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk)';
const MNEMONIC = 'abandon '.repeat(11) + 'about';

const folders = [];
const folder = () => {
  folders.push(fs.mkdtempSync(path.join(os.tmpdir(), 'spv-node-')));
  return folders.at(-1);
};
after(() => folders.forEach((each) => fs.rmSync(each, { recursive: true, force: true })));
// Nobody listens on port 1: a sync runs and finds no peer.
const opened = (dataDir = folder(), more = {}) => Client.open({ dataDir, network: Network.REGTEST, peers: ['127.0.0.1:1'], ...more });
async function withClient(use, more) {
  const client = await opened(folder(), more);
  try {
    await use(client);
  } finally {
    await client.close();
  }
}
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const code = fs.readFileSync(path.join(source, 'libspv_node.c'), 'utf8');

test('the numbers are those of spv.h', () => {
  const names = { spv_error: ['ErrorCode', /^SPV_(ERR_)?/], spv_network: ['Network', /^SPV_NETWORK_/],
    spv_transport: ['Transport', /^SPV_TRANSPORT_/], spv_cross_check: ['CrossCheck', /^SPV_CROSS_CHECK_/],
    spv_source: ['Source', /^SPV_SOURCE_/], spv_tx_state: ['TxState', /^SPV_TX_/], spv_event_type: ['EventType', /^SPV_EVENT_/],
    spv_wallet_event_state: ['WalletEventState', /^SPV_WALLET_EVENT_/], spv_tx_event_state: ['TxEventState', /^SPV_TX_EVENT_/],
    spv_broadcast_state: ['BroadcastState', /^SPV_BROADCAST_/] };
  assert.deepEqual(Object.keys(header.enums).sort(), Object.keys(names).sort());
  const types = fs.readFileSync(path.join(source, 'index.d.ts'), 'utf8');
  for (const [name, [ours, prefix]] of Object.entries(names)) {
    const theirs = Object.fromEntries(Object.entries(header.enums[name]).map(([key, value]) => [key.replace(prefix, ''), value]));
    assert.deepEqual({ ...libspv[ours] }, theirs, name);
    const typed = types.match(new RegExp(`const ${ours}: \\{([^}]*)\\}`))[1];
    assert.deepEqual(Object.fromEntries([...typed.matchAll(/readonly (\w+): (-?\d+)/g)].map(([, key, value]) => [key, Number(value)])), theirs);
  }
});

test('every error code has a class', () => {
  const classes = Object.entries(header.enums.spv_error).filter(([, value]) => value !== 0)
    .map(([name]) => `${camel(name.replace('SPV_ERR', '').toLowerCase())}Error`);
  for (const name of classes) assert.ok(libspv[name].prototype instanceof libspv.SpvError, name);
});

test('all of spv.h is used', () => {
  // The wake callback would run on a thread of the library. No call waits in the library: nothing is to be interrupted.
  const left = ['spv_set_wake', 'spv_interrupt'];
  const missing = Object.keys(header.functions).filter((name) => !left.includes(name) && !new RegExp(`\\b${name}\\(`).test(code));
  assert.deepEqual(missing, []);
  const functions = [...code.matchAll(/^ {4}\{"(\w+)",/gm)].map(([, name]) => name);
  const called = fs.readFileSync(path.join(source, 'index.js'), 'utf8');
  assert.ok(functions.length > 35);
  assert.deepEqual(functions.filter((name) => !called.includes(`'${name}'`)), []);
});

test('all fields of spv.h are passed on', () => {
  // Made without naming their fields: the compiler counts them.
  const unnamed = ['spv_recipient', 'spv_signer'];
  for (const [struct, fields] of Object.entries(header.structs).filter(([name]) => !unnamed.includes(name))) {
    for (const [field] of fields.filter(([name]) => !/^(struct_size|reserved)$/.test(name))) {
      assert.match(code, new RegExp(`[.>]${field}\\b`), `${struct}.${field}`);
    }
  }
  const types = fs.readFileSync(path.join(source, 'index.d.ts'), 'utf8');
  for (const [field] of header.structs.spv_options) {
    if (!/struct_size|reserved/.test(field)) assert.match(types, new RegExp(`\\b${camel(field)}\\??:`));
  }
});

test('errors are typed and say what to do', () => withClient(async (client) => {
  await assert.rejects(client.balance('nobody'), (error) => error instanceof libspv.NotFoundError && error.code === -2
    && error.message.includes('nobody') && error.name === 'NotFoundError');
  await assert.rejects(client.watchWallet('../x', [ADDRESS]), libspv.InvalidArgumentError);
  await client.watchWallet('shop', [ADDRESS]);
  await assert.rejects(client.watchWallet('shop', [ADDRESS]), libspv.ExistsError);
  await assert.rejects(client.verifyProof('nonsense'), libspv.InvalidProofError);
  await assert.rejects(client.finalizePsbt('nonsense'), libspv.InvalidPsbtError);
  await assert.rejects(Client.open({ dataDir: folder(), network: 0 }), libspv.InvalidArgumentError);
}));

test('strings are UTF-8 and whole, numbers fit', () => withClient(async (client) => {
  await assert.rejects(client.openWallet('Käse ₿'), (error) => error.message.includes('Käse ₿'));
  for (const hostile of ['shop\0', 5, {}, [], Symbol('x'), Buffer.from('shop')]) {
    await assert.rejects(client.openWallet(hostile), libspv.InvalidArgumentError);
  }
  for (const amount of [2n ** 63n, 1.5, '5', 2 ** 60, NaN, {}, undefined]) {
    await assert.rejects(client.createPayment('shop', [{ address: 'bcrt1q', amount }]), libspv.InvalidArgumentError);
  }
  await assert.rejects(client.createPayment('shop', [], { fee: 1 }), libspv.InvalidArgumentError);
  await assert.rejects(client.createPayment('shop', 'all'), libspv.InvalidArgumentError);
  await assert.rejects(client.getEvents({ limit: -1 }), libspv.InvalidArgumentError);
}));

test('a wallet with keys', () => withClient(async (client) => {
  const mnemonic = await client.createWallet('new', { passphrase: 'correct horse', words: 24 });
  assert.ok(Buffer.isBuffer(mnemonic));
  assert.equal(mnemonic.toString().split(' ').length, 24);
  mnemonic.fill(0);
  await client.restoreWallet('old', Buffer.from(MNEMONIC), { birthdayHeight: 0 });
  assert.equal(await client.address('old'), 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk');
  assert.deepEqual(await client.wallets(), ['new', 'old']);
  assert.equal((await client.balance('old')).total, 0n);
  assert.match((await client.addresses('old'))[0].path, /84/);
  assert.deepEqual([await client.coins('old'), await client.history('old')], [[], []]);
  await assert.rejects(client.createPayment('old', [{ address: await client.address('old'), amount: 10_000n }], { feeRate: 1000n }),
    libspv.RefusedError);
  await assert.rejects(client.send('old', [{ address: await client.address('old'), amount: libspv.AMOUNT_ALL }], { feeRate: 1000, signer: { ecdsa() {} } }),
    libspv.SpvError);
}));

test('the log', () => withClient(async (client) => {
  await client.watchWallet('shop', [ADDRESS]);
  const [event, ...more] = await client.getEvents();
  assert.deepEqual([event.type, event.wallet, event.state, more], [EventType.WALLET, 'shop', WalletEventState.ADDED, []]);
  assert.deepEqual(await client.getEvents({ transactionsOnly: true }), []);
  await client.acknowledge('billing', event.seq);
  assert.equal(await client.consumerPosition('billing'), event.seq);
}));

test('streams wait without blocking, and end with the client', async () => {
  const client = await opened();
  const live = client.liveEvents();
  const log = client.events();
  const first = log.next();
  await client.watchWallet('shop', [ADDRESS]);
  assert.equal((await first).value.wallet, 'shop');
  await client.start();
  assert.equal((await live.next()).value.type, EventType.PROGRESS);
  await client.stop();
  for await (const event of live) if (event.type === EventType.STOPPED) break;
  const waiting = [client.liveEvents().next(), log.next()];
  const closed = [client.close(), client.close()];
  assert.deepEqual((await Promise.all(waiting)).map((each) => each.done), [true, true]);
  await Promise.all(closed);
  assert.ok(client.closed);
  await client.close();
  await assert.rejects(client.wallets(), libspv.ClosedError);
  assert.deepEqual([await client.events().next(), await client.liveEvents().next()].map((each) => each.done), [true, true]);
});

test('calls that run are finished before it closes', async () => {
  const client = await opened();
  const calls = Array.from({ length: 20 }, (_, i) => client.watchWallet(`shop${i}`, [ADDRESS]));
  await client.close();
  assert.ok((await Promise.allSettled(calls)).every((each) => each.status === 'fulfilled' || each.reason instanceof libspv.ClosedError));
});

test('a sync that ends by itself is an error of the log', () => withClient(async (client) => {
  await client.watchWallet('shop', [ADDRESS]);
  const log = client.events();
  assert.equal((await log.next()).value.wallet, 'shop');
  const next = log.next();
  await client.start();
  await assert.rejects(next, libspv.TimeoutError);
}, { timeoutMs: 1 }));

test('a process ends cleanly with an open client', () => {
  const script = `require('libspv').Client.open({dataDir: ${JSON.stringify(folder())}, network: 4, peers: ['127.0.0.1:1']})
    .then(async (client) => { await client.start(); client.liveEvents(); END });`;
  for (const [end, code] of [['', 0], ['process.exit(3)', 3], ["throw new Error('x')", 1]]) {
    let status = 0;
    try {
      execFileSync(process.execPath, ['-e', script.replace('END', end)], { stdio: 'pipe', timeout: 60_000 });
    } catch (error) {
      assert.equal(error.signal, null, String(error.stderr));
      status = error.status;
    }
    assert.equal(status, code, end);
  }
});

test('a worker that is terminated leaves no sync behind', async () => {
  const dataDir = folder();
  for (let i = 0; i < 5; ++i) {
    const worker = new Worker(`const { parentPort } = require('node:worker_threads');
      require('libspv').Client.open({dataDir: ${JSON.stringify(dataDir)}, network: 4, peers: ['127.0.0.1:1']})
      .then(async (client) => {
        await (${i} === 0 ? client.watchWallet('shop', ['${ADDRESS}']) : client.openWallet('shop'));
        await client.start(); client.liveEvents(); parentPort.postMessage('up'); await client.events().next(); setInterval(() => {}, 1e6); })
      .catch((error) => parentPort.postMessage(String(error)));`, { eval: true });
    assert.equal(await new Promise((resolve) => worker.once('message', resolve)), 'up');
    await worker.terminate();
  }
});

test('a signer that is not asked', async () => {
  // Of a wallet without coins nothing is signed; signer.mjs has one with coins.
  await withClient(async (client) => {
    await client.restoreWallet('old', MNEMONIC);
    await assert.rejects(client.signPsbt('old', 'nonsense', { signer: { ecdsa() { throw new Error('not asked'); } } }), libspv.InvalidPsbtError);
    await assert.rejects(client.signPsbt('old', 'nonsense', { signer: {} }), libspv.InvalidPsbtError);
  });
});

test('a thousand clients', async () => {
  const dataDir = folder();
  let before = 0;
  for (let cycle = 0; cycle < 1000; ++cycle) {
    const client = await opened(dataDir);
    await (cycle === 0 ? client.watchWallet('shop', [ADDRESS]) : client.openWallet('shop'));
    assert.equal((await client.getEvents({ limit: 1 })).length, 1);
    await client.close();
    if (cycle % 100 === 0) global.gc?.();
    if (cycle === 300) before = process.memoryUsage.rss();
  }
  global.gc?.();
  const grown = Math.round((process.memoryUsage.rss() - before) / 1024);
  console.log(`# 1,000 clients: ${grown} KiB more after the last 700`);
  assert.ok(grown < 8192, `${grown} KiB more`);
});
