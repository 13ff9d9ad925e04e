// Node of one block whose contracts have distinct code of the largest size (EIP-170). Runs in a process of its own; takes the
// number of contracts, and prints its URL.
import { createServer } from 'node:http';
import { bytesFromHex, headerToJson, hexFromBytes, makeHeader } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { encodeRlp } from '@cairn/rlp';
import { emptyTrieRoot, readProof, Trie } from '@cairn/trie';
import { chainId, codeBytes, contract } from './large-contracts.mjs';

const zeros = (length) => `0x${'00'.repeat(length)}`;
const emptyRoot = hexFromBytes(emptyTrieRoot);
const none = new Uint8Array(0);
const nodes = new Map();
const store = {
  load: (hash) => nodes.get(hexFromBytes(hash)) ?? none,
  save: (hash, node) => void nodes.set(hexFromBytes(hash), node),
};

/** STOP, and bytes that differ between contracts. */
function codeOf(number) {
  const code = Buffer.alloc(codeBytes);
  for (let at = 8; at + 4 <= codeBytes; at += 4) code.writeUInt32BE((number * 2_654_435_761 + at * 40_503) >>> 0, at);
  return code;
}

const count = Number(process.argv[2]);
const numbers = new Map(Array.from({ length: count }, (_, number) => [contract(number), number]));
const state = new Trie(store, emptyTrieRoot);
for (const [address, number] of numbers)
  state.put(keccak256(bytesFromHex(address)), encodeRlp([none, none, emptyTrieRoot, keccak256(codeOf(number))]));
const stateRoot = state.root();
const header = makeHeader({
  parentHash: zeros(32),
  unclesHash: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: zeros(20),
  stateRoot: hexFromBytes(stateRoot),
  transactionsRoot: emptyRoot,
  receiptsRoot: emptyRoot,
  logsBloom: zeros(256),
  difficulty: 0n,
  number: 0n,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestamp: 1_000n,
  extraData: '0x',
  mixHash: zeros(32),
  nonce: zeros(8),
  baseFeePerGas: 7n,
  withdrawalsRoot: emptyRoot,
});

function resultOf({ method, params }) {
  if (method === 'eth_chainId') return `0x${chainId.toString(16)}`;
  if (method.startsWith('eth_getBlockBy'))
    return { ...headerToJson(header), transactions: [], uncles: [], withdrawals: [] };
  if (method === 'eth_getCode') {
    const number = numbers.get(params[0]);
    return number === undefined ? '0x' : `0x${codeOf(number).toString('hex')}`;
  }
  if (method !== 'eth_getProof') return undefined;
  const path = readProof(store, stateRoot, keccak256(bytesFromHex(params[0])));
  return { accountProof: path.nodes.map(hexFromBytes), storageProof: [] };
}

function answerTo(call) {
  const result = resultOf(call);
  const error = { code: -32601, message: `the method ${call.method} does not exist` };
  return { jsonrpc: '2.0', id: call.id, ...(result === undefined ? { error } : { result }) };
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const parsed = JSON.parse(Buffer.concat(chunks).toString());
  const answer = Array.isArray(parsed) ? parsed.map(answerTo) : answerTo(parsed);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});
server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
process.once('disconnect', () => process.exit(0));
