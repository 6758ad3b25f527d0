// A backend that follows wallets, prints the event log as JSON lines, and pays by PSBT. Store "seq" with what you do for
// an event: started again with the last one, it goes on there, and nothing is missed or told twice.
//
// usage: payments_backend.mjs DATADIR PEER AFTER      on regtest; reads commands from stdin:
//   watch NAME DESCRIPTOR... | pay NAME ADDRESS SATOSHIS FEE_RATE | send PSBT | balance NAME | end
import { createInterface } from 'node:readline';
import libspv from 'libspv';

const { Client, EventType, Network, TxEventState, WalletEventState } = libspv;
const [dataDir, peer, after] = process.argv.slice(2);
const say = (fields) => console.log(JSON.stringify(fields, (_, value) => typeof value === 'bigint' ? Number(value) : value));
const nameOf = (values, number) => Object.keys(values).find((name) => values[name] === number)?.toLowerCase() ?? null;
const states = { [EventType.TRANSACTION]: TxEventState, [EventType.WALLET]: WalletEventState };

const commands = {
  watch: async (client, name, ...descriptors) => (await client.wallets()).includes(name)
    ? client.openWallet(name) : client.watchWallet(name, descriptors),
  pay: async (client, name, address, amount, feeRate) => say({
    psbt: (await client.createPayment(name, [{ address, amount: BigInt(amount) }], { feeRate: BigInt(feeRate) })).psbt }),
  send: async (client, psbt) => say({ txid: await client.broadcast(psbt) }),
  balance: async (client, name) => say({ balance: (await client.balance(name)).total }),
};

async function printEvents(client) {
  for await (const { seq, type, wallet, txid, net, state } of client.events({ after: Number(after) }))
    say({ seq, type: nameOf(EventType, type), wallet, txid, net, state: nameOf(states[type] ?? {}, state) });
}

const client = await Client.open({ dataDir, network: Network.REGTEST, peers: [peer], mempoolWaitMs: 500 });
await client.start();
const printing = printEvents(client);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...words] = line.split(' ');
  if (command === 'end') break;
  await commands[command](client, ...words).catch((error) => say({ error: error.code, message: error.message }));
}
await client.close();
await printing;  // closing the client has ended it
process.stdin.destroy();
