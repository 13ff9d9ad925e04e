import { createNode } from '@cairn/bitswap/libp2p';
import type { CID } from '@cairn/cid';
import { multiaddr } from '@multiformats/multiaddr';

type Node = Awaited<ReturnType<typeof createNode>>;
type Stream = Awaited<ReturnType<Awaited<ReturnType<Node['dial']>>['newStream']>>;

export const bitswap = '/ipfs/bitswap/1.2.0';
export const dht = '/ipfs/lan/kad/1.0.0';
export const identifyPush = '/ipfs/id/push/1.0.0';

/** Connects a peer that speaks the protocols by hand. It reads answers on bitswap unless `reads` is false. */
export async function openHostilePeer(address: string, { reads = true } = {}) {
  const node = await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] });
  await node.handle(bitswap, (stream) => {
    if (reads) stream.addEventListener('message', () => {});
    else stream.pause();
  });
  const connection = await dial(node, address);
  return {
    node,
    connection,
    address: `${node.getMultiaddrs().map(String)[0]}`,
    open: (protocol: string) => connection.newStream(protocol, { maxOutboundStreams: 100_000 }),
  };
}

/** Dials until the peer accepts: it refuses more than some connections of one host per second. */
export async function dial(node: Node, address: string) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await node.dial(multiaddr(address));
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}

/** Sends bytes with back-pressure. */
export async function send(stream: Stream, bytes: Uint8Array): Promise<void> {
  if (!stream.send(bytes)) await stream.onDrain({ signal: AbortSignal.timeout(5000) });
}

/** Prefixes a message with its length. */
export const frame = (bytes: Uint8Array) => Buffer.concat([varint(bytes.length), bytes]);

/** Bitswap message with wants of blocks. */
export function wantMessage(cids: readonly CID[]): Uint8Array {
  const entries = cids.map((cid) => field(1, Buffer.concat([field(1, cid.bytes), Uint8Array.of(0x10, 1)])));
  return frame(field(1, Buffer.concat(entries)));
}

/** Bitswap message with one block, under the prefix of raw blocks with SHA-256. */
export const blockMessage = (bytes: Uint8Array) =>
  frame(field(3, Buffer.concat([field(1, Uint8Array.of(1, 0x55, 0x12, 0x20)), field(2, bytes)])));

/** DHT message ADD_PROVIDER that names the sender as a provider. */
export function addProviderMessage(key: Uint8Array, sender: Uint8Array, addresses: readonly Uint8Array[]): Uint8Array {
  const provider = Buffer.concat([field(1, sender), ...addresses.map((address) => field(2, address))]);
  return frame(Buffer.concat([Uint8Array.of(0x08, 2), field(2, key), field(9, provider)]));
}

/** DHT message PUT_VALUE. */
export function putValueMessage(key: Uint8Array, value: Uint8Array): Uint8Array {
  const record = Buffer.concat([field(1, key), field(2, value)]);
  return frame(Buffer.concat([Uint8Array.of(0x08, 0), field(2, key), field(3, record)]));
}

/** Identify message with listen addresses. */
export const identifyMessage = (addresses: readonly string[]) =>
  frame(Buffer.concat(addresses.map((address) => field(2, multiaddr(address).bytes))));

/** Field of a protobuf message with bytes. */
function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
