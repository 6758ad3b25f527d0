// Checked by tsc, not run: what the users of the package see of its types.
import { AMOUNT_ALL, Client, Coin, EventType, Network, NotFoundError } from 'libspv';

export async function amounts(): Promise<bigint> {
  const client = await Client.open({ dataDir: '/tmp', network: Network.REGTEST, peers: ['127.0.0.1'] });
  for await (const event of client.events({ after: 0 })) {
    if (event.type === EventType.TRANSACTION && event.height !== null) break;
  }
  for await (const event of client.liveEvents()) console.log(event.message);
  const coins: Coin[] = await client.coins('shop').catch((error: unknown) => {
    if (error instanceof NotFoundError && error.code === -2) return [];
    throw error;
  });
  // @ts-expect-error: amounts are BigInt
  const wrong: number = (await client.balance('shop')).total;
  // @ts-expect-error: a network is needed
  await Client.open({ dataDir: '/tmp' });
  await client.send('shop', [{ address: 'bcrt1q', amount: 5n }, { address: 'bcrt1q', amount: AMOUNT_ALL }], { feeRate: 1000n, passphrase: 'x' });
  await client.close();
  return coins.reduce((sum, coin) => sum + coin.amount, BigInt(wrong));
}
declare const console: { log(...values: unknown[]): void };
