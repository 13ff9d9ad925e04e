import { flag, integer, oneOf, optional } from '../domains.mjs';

const hash = oneOf(
  'sha2-256',
  'sha2-512',
  'blake3',
  'blake2b-256',
  'sha3-512',
  'keccak-256',
  'murmur3-x64-64',
  'identity',
  'sha1',
  'dbl-sha2-256',
);
const codec = oneOf('dag-cbor', 'dag-json', 'dag-pb', 'raw', 'cbor', 'json', 'dag-jose', 'libp2p-key', 'git-raw');
const base = oneOf('base32', 'base58btc', 'base36', 'base64url', 'base2', 'base256emoji', 'base10', 'proquint');

/** Values of named options, expensive ones among them. */
const texts = {
  chunker: oneOf(
    'size-1',
    'size-16',
    'size-64',
    'size-262144',
    'size-2097152',
    'rabin',
    'rabin-16-32-64',
    'rabin-512-1024-2048',
    'rabin-262144',
    'buzhash',
  ),
  hash,
  mhtype: hash,
  'cid-base': base,
  b: base,
  'cid-codec': codec,
  format: oneOf('v0', 'raw', 'dag-pb', 'cbor', '<src> <dst> <linkname>', `${'<dst>'.repeat(1_500)}`),
  'store-codec': codec,
  'input-codec': codec,
  'output-codec': codec,
  mc: codec,
  f: oneOf('%s', '%b-%v-%c-%h-%L', '%S'.repeat(2_000), '%'.repeat(3_000)),
  v: oneOf('0', '1'),
  type: oneOf('all', 'direct', 'indirect', 'recursive'),
  name: oneOf('x', 'n'.repeat(255), 'n'.repeat(5_000)),
  'pin-name': oneOf('x', 'n'.repeat(255)),
  'to-files': oneOf('/', '/a/', `/${'d/'.repeat(500)}`),
  mode: oneOf('0644', '7777'),
  peer: oneOf('x'),
  proto: oneOf('x'),
  interval: oneOf('1ns', '1s'),
};
const otherText = oneOf('x', '0', 'x'.repeat(8_000));

/** Options that extend an answer without end; each step costs little. */
const seldom = new Set(['poll']);

/** Genes of the options of a command, from its entry in the OpenAPI document. */
export function optionGenes(parameters) {
  return Object.fromEntries(
    parameters
      .filter(({ name }) => name !== 'arg' && name !== 'timeout')
      .map(({ name, schema }) => [`--${name}`, optional(domainOf(name, schema), seldom.has(name) ? 0.02 : 0.25)]),
  );
}

function domainOf(name, { type, enum: values, minimum = 0, maximum = 2 ** 31 }) {
  if (type === 'boolean') return flag;
  if (values !== undefined) return oneOf(...values);
  if (type === 'integer') return integer(Math.max(0, minimum), Math.min(2 ** 52, maximum));
  return texts[name] ?? otherText;
}

/** Returns the query of a request: options chosen by genes, and arguments. */
export function queryOf(genes, args) {
  const query = new URLSearchParams();
  for (const arg of args) query.append('arg', arg);
  for (const [name, value] of Object.entries(genes)) if (name.startsWith('--')) query.set(name.slice(2), String(value));
  return query.toString();
}
