import { startGateway } from '../../peers/cairn.mjs';
import { startGeth } from '../../peers/geth.mjs';
import { conformanceChain } from '../chain.mjs';
import { differenceOf } from '../reads/compare.mjs';
import { differencesOfBodies, oddBody } from '../reads/envelopes.mjs';
import { readMethods } from '../reads/methods.mjs';
import { openSocket, overHttp } from '../reads/transports.mjs';
import { createValues } from '../reads/values.mjs';

const names = Object.keys(readMethods);
const batchLength = 20;

/** Compares every read method with valid, unusual and invalid parameters, alone, in batches and over WebSocket. */
export default {
  name: 'reads',
  peer: 'geth',
  known: {
    'one blob fee of eth_feeHistory':
      'geth stores the fee of the first Cancun block and the next fee of its parent in one place, in any order.',
    'message: header #[…] not found':
      'geth prints the hash as a list of numbers; the gateway prints it in hexadecimal.',
    'message: block #[…] not found': 'geth prints the hash as a list of numbers; the gateway prints it in hexadecimal.',
    'message: missing trie node': 'The root of the pending state is part of the message, and each client has its own.',
    'envelope: refused by geth: undefined: non-array args':
      'The gateway also accepts parameters by name (JSON-RPC 2.0).',
    'envelope: an empty body': 'geth sends no answer; the gateway reports invalid JSON.',
    'envelope: a body with two values': 'geth reads the first value only; the gateway reports invalid JSON.',
    'code -32000 for -32603: method handler crashed':
      'eth_fillTransaction of geth crashes on an empty authorization list without to.',
    'eth_subscribe with more than two parameters':
      'The gateway checks their number before the kind of the subscription.',
    'message: several faults': 'A parameter has several faults, and each server reports the one that it finds first.',
  },
  async start() {
    const chain = conformanceChain();
    const geth = chain && (await startGeth(chain));
    if (geth === undefined) return undefined;
    const gateway = await startGateway(chain);
    const [cairnSocket, peerSocket] = await Promise.all(
      [gateway, geth].map(({ webSocketUrl }) => openSocket(webSocketUrl)),
    );
    const data = await chainData(geth.url, chain.accounts);
    // The gateway treats imported blocks as safe and final when its network names no such blocks.
    const head = data.blocks.at(-1);
    await geth.setForkChoice({ headBlockHash: head, safeBlockHash: head, finalizedBlockHash: head });
    return {
      sends: {
        http: [(body) => overHttp(gateway.url, body), (body) => overHttp(geth.url, body)],
        socket: [cairnSocket.send, peerSocket.send],
      },
      ...data,
      async stop() {
        for (const socket of [cairnSocket, peerSocket]) socket.close();
        await Promise.all([geth.stop(), gateway.stop()]);
      },
    };
  },
  async *round({ sends, ...data }, random) {
    if (random.chance(0.1)) {
      const body = oddBody(random);
      const [cairn, peer] = await Promise.all(sends.http.map((send) => send(body)));
      yield* differencesOfBodies(body, cairn, peer);
      return;
    }
    const values = createValues({ ...data, random });
    const request = () => {
      const method = random.pick(names);
      return { jsonrpc: '2.0', id: random.integer(1, 1000), method, params: values.params(readMethods[method]) };
    };
    const isBatch = random.chance(0.3);
    const requests = isBatch ? Array.from({ length: batchLength }, request) : [request()];
    const body = JSON.stringify(isBatch ? requests : requests[0]);
    const pair = random.pick(Object.values(sends));
    const [cairn, peer] = await Promise.all(pair.map((send) => send(body)));
    for (const [index, sent] of requests.entries()) {
      const [ours, theirs] = isBatch ? [cairn[index], peer[index]] : [cairn, peer];
      const difference = differenceOf(sent, ours, theirs);
      yield difference === undefined ? undefined : { class: difference, request: sent, cairn: ours, peer: theirs };
      if (ours.result === undefined || theirs.result === undefined) continue;
      for (const method of followUps[sent.method] ?? [])
        yield await compareById(pair, method, [ours.result, theirs.result]);
    }
  },
};

const ofFilter = ['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter', 'eth_uninstallFilter'];
/** Requests that use the id which a method returned. They end the subscription or filter. */
const followUps = {
  eth_newFilter: ofFilter,
  eth_newBlockFilter: ofFilter,
  eth_newPendingTransactionFilter: ofFilter,
  eth_subscribe: ['eth_unsubscribe', 'eth_unsubscribe'],
};

async function compareById(pair, method, ids) {
  const requests = ids.map((id) => ({ jsonrpc: '2.0', id: 1, method, params: [id] }));
  const [cairn, peer] = await Promise.all(pair.map((send, index) => send(JSON.stringify(requests[index]))));
  const difference = differenceOf(requests[0], cairn, peer);
  return difference === undefined ? undefined : { class: difference, request: requests[0], cairn, peer };
}

/** Reads the hashes and logs of a chain from geth. */
async function chainData(url, accounts) {
  const ask = async (method, params) =>
    (await overHttp(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).result;
  const head = Number(await ask('eth_blockNumber', []));
  const blocks = [];
  for (let number = 0; number <= head; number++)
    blocks.push(await ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]));
  const logs = await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]);
  return {
    accounts: [...accounts, ...new Set(logs.map(({ address }) => address))],
    blocks: blocks.map(({ hash }) => hash),
    transactions: blocks.flatMap(({ transactions }) => transactions),
    logs,
  };
}
