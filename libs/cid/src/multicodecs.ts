import { multicodecTable } from './multicodec-table.ts';

/**
 * Codecs with the tag `ipld` in the multicodec table, as Kubo 0.42 lists them in `cid/codecs`
 * (https://github.com/multiformats/multicodec/blob/master/table.csv).
 */
export const ipldCodecs: ReadonlyMap<number, string> = new Map([
  [0x51, 'cbor'],
  [0x55, 'raw'],
  [0x70, 'dag-pb'],
  [0x71, 'dag-cbor'],
  [0x72, 'libp2p-key'],
  [0x78, 'git-raw'],
  [0x7b, 'torrent-info'],
  [0x7c, 'torrent-file'],
  [0x80, 'blake3-hashseq'],
  [0x81, 'leofcoin-block'],
  [0x82, 'leofcoin-tx'],
  [0x83, 'leofcoin-pr'],
  [0x85, 'dag-jose'],
  [0x86, 'dag-cose'],
  [0x90, 'eth-block'],
  [0x91, 'eth-block-list'],
  [0x92, 'eth-tx-trie'],
  [0x93, 'eth-tx'],
  [0x94, 'eth-tx-receipt-trie'],
  [0x95, 'eth-tx-receipt'],
  [0x96, 'eth-state-trie'],
  [0x97, 'eth-account-snapshot'],
  [0x98, 'eth-storage-trie'],
  [0x99, 'eth-receipt-log-trie'],
  [0x9a, 'eth-receipt-log'],
  [0xb0, 'bitcoin-block'],
  [0xb1, 'bitcoin-tx'],
  [0xb2, 'bitcoin-witness-commitment'],
  [0xc0, 'zcash-block'],
  [0xc1, 'zcash-tx'],
  [0xd0, 'stellar-block'],
  [0xd1, 'stellar-tx'],
  [0xe0, 'decred-block'],
  [0xe1, 'decred-tx'],
  [0xf0, 'dash-block'],
  [0xf1, 'dash-tx'],
  [0xfa, 'swarm-manifest'],
  [0xfb, 'swarm-feed'],
  [0xfc, 'beeson'],
  [0x0129, 'dag-json'],
  [0x01f0, 'swhid-1-snp'],
  [0x0200, 'json'],
  [0xb403, 'rdfc-1'],
  [0xb601, 'json-jcs'],
]);

/** Built when the module loads: 603 rows take under 1 ms. */
const names: ReadonlyMap<number, string> = new Map(
  multicodecTable.split(';').map((row) => {
    const [code = '', name = ''] = row.trim().split(' ');
    return [Number.parseInt(code, 16), name];
  }),
);
const codes: ReadonlyMap<string, number> = new Map([...names].map(([code, name]) => [name, code]));

/** Returns the name of a multicodec, or `undefined` for a code that is not in the table. */
export function multicodecName(code: number): string | undefined {
  return names.get(code);
}

/**
 * Parses a multicodec as Kubo's options do: a name, or the number of a codec of the table in any Go notation. Numbers from
 * 0x300000 to 0x3fffff are reserved for private use and accepted. Returns `undefined` for anything else.
 */
export function parseMulticodec(text: string): number | undefined {
  const code = parseUnsigned(text);
  if (code !== undefined && (names.has(code) || (code >= 0x300000 && code <= 0x3fffff))) return code;
  return codes.get(text);
}

/** Parses as Go's strconv.ParseUint with base 0 does: decimal, or with the prefix 0x, 0o, 0b or 0. */
function parseUnsigned(text: string): number | undefined {
  if (/^(0|[1-9]\d{0,9}|0x[\da-f]{1,10}|0o[0-7]{1,12}|0b[01]{1,32})$/i.test(text)) return Number(text);
  return /^0[0-7]{1,12}$/.test(text) ? Number.parseInt(text, 8) : undefined;
}
