import { startGateway } from '../../peers/cairn.mjs';
import { startGeth } from '../../peers/geth.mjs';
import { conformanceChain } from '../chain.mjs';
import { callRequest, quantity, stateRequest, traceConfig } from './traces/requests.mjs';

/** Compares traces of random calls, and of transactions and blocks of the chain, with every tracer. */
export default {
  name: 'traces',
  peer: 'geth',
  known: {
    'a trace beyond the limit':
      'Clients parse a trace in one piece. The gateway refuses more than 64 Mi characters and names fields to omit.',
    'a crash of the peer':
      'geth 1.17.5 panics where a step lacks operands (erc7562Tracer), and on witnesses before Byzantium or of no block; the gateway answers.',
    'a slot that the peer has no name of': 'geth stores no preimages of genesis slots; the gateway does.',
    'a tracer in JavaScript that fails': 'geth adds the position in the tracer’s code.',
    'a block that is named by a structure of Go': 'The gateway names the block as the request does.',
    'a run over the time limit': 'The gateway limits a call to 5 seconds, which a busy machine may exceed.',
    'words of eth_call': 'The area `calls` compares the texts of rejected calls.',
    'options that are refused before the block is looked at': 'The gateway checks parameters first.',
  },
  async start() {
    const chain = conformanceChain();
    const geth = chain && (await startGeth({ ...chain, gasCap: 0 }));
    if (geth === undefined) return undefined;
    const gateway = await startGateway(chain);
    const { result } = await post(geth.url, { method: 'eth_blockNumber', params: [] });
    const blocks = [];
    for (let number = 1; number <= Number(result); number++) {
      const block = await post(geth.url, { method: 'eth_getBlockByNumber', params: [quantity(number), false] });
      const raw = await post(geth.url, { method: 'debug_getRawBlock', params: [quantity(number)] });
      blocks.push({ ...block.result, raw: raw.result });
    }
    const transactions = blocks.flatMap((block) => block.transactions);
    return {
      ...{ geth, gateway, blocks, transactions, accounts: chain.accounts, heads: Number(result) },
      stop: () => Promise.all([geth.stop(), gateway.stop()]),
    };
  },
  async *round(context, random) {
    const { geth, gateway } = context;
    for (let index = 0; index < 20; index++) {
      const request = pickRequest(context, random);
      const [cairn, peer] = await Promise.all([gateway.url, geth.url].map((url) => post(url, request)));
      const place = firstDifference(comparable(cairn, peer), comparable(peer, peer));
      yield place === undefined ? undefined : { class: className(request, cairn, peer, place), request, cairn, peer };
    }
  },
};

/** Code of the gateway's limits. */
const limitReached = -32005;
/** JSON-RPC's internal error, from geth's handlers that panic. */
const handlerCrashed = -32603;

function className({ method, params }, cairn, peer, place) {
  const tracer = method === 'eth_call' ? '' : (params.at(-1)?.tracer ?? '');
  if (cairn.error?.code === limitReached) return 'a trace beyond the limit';
  if (/\.key: .* \/ null$/.test(place)) return 'a slot that the peer has no name of';
  if (/Legacy$/.test(tracer) && peer.error?.message.includes(' at step (')) return 'a tracer in JavaScript that fails';
  if (/^block \{.*\} /.test(peer.error?.message ?? '')) return 'a block that is named by a structure of Go';
  if (/^execution timeout|ran longer than/.test(cairn.error?.message ?? '')) return 'a run over the time limit';
  if (peer.error?.code === handlerCrashed) return 'a crash of the peer';
  if (method === 'eth_call' && place.startsWith('.error.message')) return 'words of eth_call';
  if (cairn.error?.message.startsWith('cannot use diffMode'))
    return 'options that are refused before the block is looked at';
  return `${method} ${tracer} ${place.replace(/\d+/g, 'N').replace(/NxN[0-9a-fN]*/g, 'H')}`;
}

function pickRequest(context, random) {
  const { transactions, blocks, heads } = context;
  const choice = random.integer(0, 9);
  if (choice < 6) return callRequest(random, context);
  if (choice < 7) return stateRequest(random, context);
  if (choice < 9) return { method: 'debug_traceTransaction', params: [random.pick(transactions), traceConfig(random)] };
  const block = random.pick(blocks);
  const config = traceConfig(random);
  if (random.chance(0.3)) return { method: 'debug_traceBlock', params: [block.raw, config] };
  return random.chance(0.5)
    ? { method: 'debug_traceBlockByHash', params: [block.hash, config] }
    : { method: 'debug_traceBlockByNumber', params: [quantity(random.integer(1, heads)), config] };
}

/** Returns the error with the peer's text when ours begins with it: the gateway adds advice. */
function comparable({ result, error }, peer) {
  if (error === undefined) return { result };
  const words = peer.error?.message ?? '';
  return { error: { code: error.code, message: error.message.startsWith(words) ? words : error.message } };
}

/** Returns the path of the first difference of two answers, in any order of names. */
function firstDifference(a, b, path = '') {
  if (Object.is(a, b)) return undefined;
  const [isList, isObject] = [
    Array.isArray(a) && Array.isArray(b),
    [a, b].every((x) => x !== null && typeof x === 'object'),
  ];
  if (!isObject || Array.isArray(a) !== Array.isArray(b)) return `${path}: ${short(a)} / ${short(b)}`;
  const names = isList
    ? Array.from({ length: Math.max(a.length, b.length) }, (_, i) => i)
    : [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  for (const name of names) {
    if (!(name in a) || !(name in b)) return `${path}.${name}: ${name in a ? 'only here' : 'only there'}`;
    const inside = firstDifference(a[name], b[name], isList ? path : `${path}.${name}`);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

const short = (value) => (JSON.stringify(value) ?? 'absent').slice(0, 60);

async function post(url, request) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...request });
  return await (await fetch(url, { method: 'POST', headers, body })).json();
}
