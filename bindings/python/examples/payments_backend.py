"""A backend that follows wallets, prints the event log as JSON lines, and pays by PSBT. Store "seq" with what you do
for an event: started again with the last one, it goes on there, and nothing is missed or told twice.

usage: payments_backend.py DATADIR PEER AFTER      on regtest; reads commands from stdin:
  watch NAME DESCRIPTOR... | pay NAME ADDRESS SATOSHIS FEE_RATE | send PSBT | balance NAME | end
"""
import asyncio, json, sys
from libspv import Client, EventType, Network, SpvError

def say(**fields):
    print(json.dumps(fields), flush=True)

def watch(client, name, *descriptors):
    if name in client.wallets(): client.open_wallet(name)
    else: client.watch_wallet(name, descriptors)

def pay(client, name, address, amount, fee_rate):
    say(psbt=client.create_payment(name, [(address, int(amount))], fee_rate=int(fee_rate)).psbt)

COMMANDS = {"watch": watch, "pay": pay, "send": lambda client, psbt: say(txid=client.broadcast(psbt)),
            "balance": lambda client, name: say(balance=client.balance(name).total)}

async def print_events(client, after):
    async for event in client.events(after):
        say(seq=event.seq, type=event.type.name.lower(), wallet=event.wallet, txid=event.txid, net=event.net,
            state=event.state.name.lower() if event.type in (EventType.TRANSACTION, EventType.WALLET) else None)

async def main(data_dir, peer, after):
    async with Client(data_dir, Network.REGTEST, peers=[peer], mempool_wait_ms=500) as client:
        client.start()
        printing = asyncio.create_task(print_events(client, int(after)))
        while (line := (await asyncio.to_thread(sys.stdin.readline)).split()) and line[0] != "end":
            try: await asyncio.to_thread(COMMANDS[line[0]], client, *line[1:])
            except SpvError as error: say(error=error.code, message=str(error))
    await printing  # closing the client has ended it

asyncio.run(main(*sys.argv[1:]))
