import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { flag, integer, oneOf, optional } from '../domains.mjs';
import { junk, junkOf } from './junk.mjs';
import { methodParams } from './params.mjs';

const document = JSON.parse(readFileSync(new URL('../../../apps/rpc-gateway/openrpc.json', import.meta.url), 'utf8'));
/** Bodies slightly above the gateway's maximum. */
const bodyBytesMax = 5 * 1024 * 1024 + 64 * 1024;

const envelope = {
  batch: optional(integer(2, 1_000), 0.4),
  isVaried: flag,
  encoding: optional(oneOf('gzip', 'br'), 0.15),
  accepts: optional(oneOf('gzip'), 0.3),
  door: oneOf('http', 'http', 'http', 'socket'),
  isChunked: optional(flag, 0.1),
  /** Requests that are sent on one connection without waiting for answers. */
  times: optional(integer(2, 1_000), 0.15),
};
const disturbed = {
  junk: optional(junk, 0.15),
  junkSize: integer(1, 4_000_000),
  junkAt: integer(0, 3),
};

/** Methods of the gateway, from its generated document. */
export const methodNames = document.methods.map(({ name }) => name);

/** One generator for each method, and one for bodies that are no requests. */
export const generators = [
  ...methodNames.map((name) => ({
    name,
    genes: { ...envelope, ...disturbed, ...methodParams[name]?.genes },
    make: (genes, world, salt = 0) => requestOf(genes, world, callsOf(name, genes, world, salt)),
  })),
  {
    name: 'body',
    genes: {
      ...envelope,
      junk,
      junkSize: integer(1, bodyBytesMax),
      place: oneOf('whole', 'params', 'item', 'id', 'method', 'extra'),
    },
    make: (genes, world) => requestOf(genes, world, bodyOf(genes)),
  },
];

/** @param salt makes the calls of one request distinct from those of another */
function callsOf(name, genes, world, salt) {
  const one = (n) => {
    const params = methodParams[name]
      .params(genes, world, (genes.isVaried ? n : 0) + salt * 1_000)
      .map((param) => JSON.stringify(param ?? null));
    if (genes.junk !== undefined) params[Math.min(genes.junkAt, params.length)] = junkOf(genes.junk, genes.junkSize);
    return `{"jsonrpc":"2.0","id":${n},"method":"${name}","params":[${params.join(',')}]}`;
  };
  if (genes.batch === undefined) return one(0);
  const first = one(0);
  const count = Math.max(1, Math.min(genes.batch, Math.floor(bodyBytesMax / (first.length + 1))));
  return `[${Array.from({ length: count }, (_, n) => (n === 0 ? first : one(n))).join(',')}]`;
}

function bodyOf({ junk: name, junkSize, place, batch = 1 }) {
  const text = junkOf(name, junkSize / (place === 'whole' ? 1 : batch));
  const request = {
    params: `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":${text}}`,
    item: text,
    id: `{"jsonrpc":"2.0","id":${text},"method":"eth_chainId"}`,
    method: `{"jsonrpc":"2.0","id":1,"method":${text}}`,
    extra: `{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_chainId","extra":${text}}`,
  }[place];
  return request === undefined ? text : `[${Array(batch).fill(request).join(',')}]`;
}

/** Encodes a body as it is sent: over HTTP in its encoding, or as a WebSocket message. */
function requestOf({ door, encoding, accepts, isChunked, times }, { account }, text) {
  if (door === 'socket') return { account: account.id, path: `/ws/v3/${account.key}`, message: text, repeats: times };
  const bytes = Buffer.from(text);
  const body =
    encoding === 'gzip'
      ? gzipSync(bytes, { level: 1 })
      : encoding === 'br'
        ? brotliCompressSync(bytes, { params: { 1: 1 } })
        : bytes;
  const headers = {
    'content-type': 'application/json',
    ...(encoding && { 'content-encoding': encoding }),
    ...(accepts && { 'accept-encoding': accepts }),
  };
  return { account: account.id, path: `/v3/${account.key}`, headers, body, isChunked, repeats: times };
}

/** Facts of the chain for parameters. */
export async function createWorld(service) {
  const sample = JSON.parse(
    readFileSync(new URL('../../sample-network/network/contracts.json', import.meta.url), 'utf8'),
  );
  const ask = async (method, params) => {
    const answer = await fetch(`http://127.0.0.1:${service.port}/v3/${service.victim.key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return (await answer.json()).result;
  };
  const height = Number(await ask('eth_blockNumber', []));
  const blocks = await Promise.all(
    Array.from({ length: height + 1 }, (_, n) => ask('eth_getBlockByNumber', [`0x${n.toString(16)}`, false])),
  );
  let turn = 0;
  return {
    sample,
    hashes: blocks.map(({ hash }) => hash),
    transactions: blocks.flatMap(({ transactions }) => transactions),
    rawBlocks: await Promise.all(blocks.slice(1).map(({ number }) => ask('debug_getRawBlock', [number]))),
    /** Accounts take turns, so that each pays for its own request. */
    get account() {
      return service.accounts[turn++ % service.accounts.length];
    },
  };
}
