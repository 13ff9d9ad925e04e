/** IPLD codecs by name (https://github.com/multiformats/multicodec). */
export const codecs = {
  raw: 0x55,
  'dag-pb': 0x70,
  'dag-cbor': 0x71,
  'libp2p-key': 0x72,
  'dag-jose': 0x85,
  'git-raw': 0x78,
  cbor: 0x51,
  'eth-block': 0x90,
  'eth-block-list': 0x91,
  'eth-tx-trie': 0x92,
  'eth-tx': 0x93,
  'eth-tx-receipt-trie': 0x94,
  'eth-tx-receipt': 0x95,
  'eth-state-trie': 0x96,
  'eth-account-snapshot': 0x97,
  'eth-storage-trie': 0x98,
  'dag-json': 0x0129,
  json: 0x0200,
} as const;

export type CodecName = keyof typeof codecs;

const names = new Map<number, CodecName>(Object.entries(codecs).map(([name, code]) => [code, name as CodecName]));

/** Returns the name of a codec, or `undefined` for a codec that is not in {@link codecs}. */
export function codecName(code: number): CodecName | undefined {
  return names.get(code);
}
