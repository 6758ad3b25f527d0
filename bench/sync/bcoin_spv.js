// bcoin in SPV mode, in memory: takes the chain of one node, filtered by the given elements, up to a height.
// usage: bcoin_spv.js HOST:PORT HEIGHT ELEMENTS     prints JSON; `--check` only says which bcoin is there
'use strict';

const fs = require('fs');
const Module = require('module');

// Its database on disk does not build on newer versions of node; the one in memory needs nothing of it.
const load = Module._load;
Module._load = (name, ...rest) => (name === 'leveldown' ? function LevelDown() {} : load(name, ...rest));
const {Chain, Pool} = require('bcoin');

const LIMIT = 600 * 1000;

async function main(address, height, file) {
  const elements = fs.readFileSync(file, 'ascii').trim().split('\n');
  const own = new Set(elements);
  let balance = 0;
  let count = 0;
  let received = 0;

  const options = {network: 'regtest', memory: true, spv: true};
  const chain = new Chain(options);
  const pool = new Pool({...options, chain, only: [address], selfish: true, listen: false});
  for (const element of elements) pool.watch(Buffer.from(element, 'hex'));
  pool.on('peer open', peer => peer.socket.on('data', data => { received += data.length; }));
  const take = (tx) => {
    ++count;
    for (const output of tx.outputs) {
      const hash = output.getHash('hex');
      if (hash && own.has(hash)) balance += output.value;
    }
  };
  const synced = new Promise(resolve => chain.on('connect', (entry, block) => {
    block.txs.forEach(take);
    if (entry.height >= height) resolve();
  }));
  setTimeout(() => process.exit(1), LIMIT);
  await chain.open();
  await pool.open();
  await pool.connect();
  pool.startSync();
  await synced;
  console.log(JSON.stringify({balance_sat: balance, txs: count, bytes_in: received}));
  process.exit(0);
}

if (process.argv[2] === '--check') console.log(require('bcoin/package.json').version);
else main(process.argv[2], Number(process.argv[3]), process.argv[4]);
