import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { ask } from '../lib/anvil.mjs';
import { counter, measureRate, postRequest } from '../lib/measure-rate.mjs';

const sample = JSON.parse(
  readFileSync(new URL('../../sample-network/network/contracts.json', import.meta.url), 'utf8'),
);
const { Token, Loops } = sample.contracts;
const from = sample.accounts.alice;
const word = (n) => n.toString(16).padStart(64, '0');
/** A word whose digits are a new number in each request. */
const newWord = counter.padStart(64, '0');
const call = (to, data) => ({ from, to, data: `0x${data}` });
const balanceOf = (holder) => call(Token.address, `${Token.selectors['balanceOf(address)']}${holder}`);
/** Calldata of a loop. The word after the argument changes nothing but the identity of the call. */
const compute = (rounds) => call(Loops.address, `${Loops.selectors['compute(uint256)']}${word(rounds)}${newWord}`);
/** Account without code, on which an override puts a contract. */
const overridden = `0x${'c0'.repeat(20)}`;

/** Rounds of the loop in a call of about 28,000 gas, and in one of about 1,000,000 gas. */
const shortRounds = 60;
const longRounds = 10_750;

/**
 * Returns the rows of JSON-RPC. Each has the params for one server; `counter` in them is replaced by a new number in each
 * request. `isSame` rows are sent once to both servers before, and must have equal results.
 * @param chain what the rows need of the sample network: code of contracts, a block with many transactions, a transaction
 */
export function rpcRows(chain) {
  const tracer = (name, goal = 1.5) => ({
    name: `debug_traceTransaction, ${name ?? 'structLogs'}`,
    peer: 'geth',
    goal,
    isSame: true,
    method: 'debug_traceTransaction',
    params: () => [chain.transaction, name === undefined ? {} : { tracer: name }],
  });
  return [
    { name: 'eth_chainId', peer: 'geth', goal: 2.5, isSame: true, method: 'eth_chainId', params: () => [] },
    { name: 'eth_chainId', peer: 'anvil', goal: 1, method: 'eth_chainId', params: () => [] },
    ...['geth', 'anvil'].map((peer) => ({
      name: 'eth_getBlockByHash, full',
      peer,
      goal: peer === 'geth' ? 2.4 : 1,
      isSame: peer === 'geth',
      method: 'eth_getBlockByHash',
      params: ({ blockHash }) => [blockHash, true],
    })),
    ...['geth', 'anvil'].map((peer) => ({
      name: 'eth_call of balanceOf, distinct',
      peer,
      goal: peer === 'geth' ? 2 : 1,
      method: 'eth_call',
      params: () => [balanceOf(newWord), 'latest'],
    })),
    {
      name: 'eth_call, 28,000 gas, distinct',
      peer: 'geth',
      goal: 2,
      method: 'eth_call',
      params: () => [compute(shortRounds), 'latest'],
    },
    {
      name: 'eth_call, 1,000,000 gas, distinct',
      peer: 'geth',
      goal: 2,
      method: 'eth_call',
      params: () => [compute(longRounds), 'latest'],
    },
    {
      name: 'eth_call with a state override of code',
      peer: 'geth',
      goal: 2,
      method: 'eth_call',
      params: () => [
        { ...balanceOf(newWord), to: overridden },
        'latest',
        { [overridden]: { code: chain.code[Token.address] } },
      ],
    },
    {
      name: 'eth_getLogs, all blocks',
      peer: 'geth',
      goal: 2,
      isSame: true,
      method: 'eth_getLogs',
      params: () => [{ fromBlock: '0x0', toBlock: 'latest', address: Token.address }],
    },
    ...['callTracer', 'prestateTracer', 'flatCallTracer', '4byteTracer', undefined].map((name) => tracer(name)),
    {
      name: 'debug_traceBlockByHash, callTracer',
      peer: 'geth',
      goal: 1.5,
      isSame: true,
      method: 'debug_traceBlockByHash',
      params: ({ blockHash }) => [blockHash, { tracer: 'callTracer' }],
    },
  ];
}

/** Reads what the rows need: the block with most transactions, and its transaction that used most gas. */
export async function readChain(url) {
  const head = Number(await ask(url, 'eth_blockNumber', []));
  let block = { transactions: [] };
  for (let number = 1; number <= head; number++) {
    const read = await ask(url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
    if (read.transactions.length >= block.transactions.length) block = read;
  }
  const receipts = await ask(url, 'eth_getBlockReceipts', [block.hash]);
  const [largest] = receipts.sort((a, b) => Number(b.gasUsed) - Number(a.gasUsed));
  return {
    blockHash: block.hash,
    transactions: block.transactions.length,
    transaction: largest.transactionHash,
    code: { [Token.address]: await ask(url, 'eth_getCode', [Token.address, 'latest']) },
  };
}

/** Measures one row on one server. */
export function measureRpc({ method, params }, server, { seconds }) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params(server) });
  const request = postRequest(server.url, { headers: { 'content-type': 'application/json' }, body });
  return measureRate(server.url, { request, seconds });
}

/** Sends the request of a row once to both servers. @throws Error for an error, and where equal results differ */
export async function checkRpc({ name, peer, method, params, isSame }, ours, theirs) {
  const results = [];
  for (const server of [ours, theirs]) {
    const text = JSON.stringify(params(server)).replaceAll(counter, '1'.padStart(counter.length, '0'));
    const result = await ask(server.url, method, JSON.parse(text));
    // Current versions of geth omit this field of blocks.
    results.push(JSON.parse(JSON.stringify(result, (key, value) => (key === 'totalDifficulty' ? undefined : value))));
  }
  if (isSame && !isDeepStrictEqual(...results)) throw new Error(`${name}: Cairn and ${peer} return different results.`);
}
