/** A node as the provider of content: its ID and addresses in their binary form. */
export interface ProviderIdentity {
  readonly id: Uint8Array;
  readonly addresses: readonly Uint8Array[];
}

/** Field numbers of https://github.com/libp2p/specs/blob/master/kad-dht/README.md#rpc-messages. */
const message = { type: 1, key: 2, providers: 9 } as const;
const peer = { id: 1, addresses: 2, connection: 3 } as const;
const addProvider = 2;
const connected = 1;

/** Encodes a message ADD_PROVIDER with its length, as it is sent on a stream of the DHT. */
export function encodeAddProvider(multihash: Uint8Array, { id, addresses }: ProviderIdentity): Uint8Array {
  const info = [
    ...bytesField(peer.id, id),
    ...addresses.flatMap((address) => bytesField(peer.addresses, address)),
    ...numberField(peer.connection, connected),
  ];
  const body = Buffer.concat([
    ...numberField(message.type, addProvider),
    ...bytesField(message.key, multihash),
    ...bytesField(message.providers, Buffer.concat(info)),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

function numberField(field: number, value: number): Uint8Array[] {
  return [varint(field << 3), varint(value)];
}

function bytesField(field: number, value: Uint8Array): Uint8Array[] {
  return [varint((field << 3) | 2), varint(value.length), value];
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
