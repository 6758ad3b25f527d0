// A signer of a watch-only wallet with coins: it is asked for the right keys, and what it returns is checked.
//
// usage: signer.mjs DATADIR      after the scenario; its wallet is called shop
import assert from 'node:assert/strict';
import libspv from 'libspv';

const client = await libspv.Client.open({ dataDir: process.argv[2], network: libspv.Network.REGTEST });
await client.openWallet('shop');
const { psbt, inputs } = await client.createPayment('shop', [{ address: await client.address('shop'), amount: libspv.AMOUNT_ALL }], { feeRate: 1000n });
const asked = [];
const wrong = Buffer.from('3006020101020101', 'hex');  // DER, and of nobody
await assert.rejects(client.signPsbt('shop', psbt, { signer: { ecdsa: async (key, digest) => {
  asked.push([key.publicKey.length, key.fingerprint.length, key.path.length, digest.length]);
  return wrong;
} } }), libspv.SpvError);
assert.ok(inputs.length > 0);
assert.deepEqual(asked[0], [33, 4, 5, 32]);
for (const ecdsa of [() => { throw new Error('no such key'); }, async () => { throw new Error('no such key'); }]) {
  await assert.rejects(client.signPsbt('shop', psbt, { signer: { ecdsa } }), /no such key/);
}
await assert.rejects(client.signPsbt('shop', psbt, { signer: { ecdsa: () => Buffer.alloc(81) } }), libspv.SpvError);
await client.close();
