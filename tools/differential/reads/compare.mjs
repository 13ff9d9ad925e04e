/** Fields of the pending block that identify the client or its time of creation. */
const ofItsOwn = ['extraData', 'size', 'timestamp', 'stateRoot'];

/**
 * Returns the difference between two answers, or undefined. A message may continue after geth's text: a full stop and
 * advice.
 * @returns {string | undefined} a class of difference
 */
export function differenceOf({ method, params }, cairn, peer) {
  const difference = compareAnswers({ method, params }, cairn, peer);
  if (difference !== undefined && method === 'eth_subscribe' && params.length > 2)
    return 'eth_subscribe with more than two parameters';
  return difference;
}

function compareAnswers({ method, params }, cairn, peer) {
  if (cairn.id !== undefined && cairn.id !== peer.id) return 'id';
  if (peer.error === undefined && cairn.error === undefined)
    return ids.has(method)
      ? idClass(method, cairn.result, peer.result)
      : isSame(comparable(cairn.result, isPendingIn(params)), comparable(peer.result, isPendingIn(params)))
        ? undefined
        : resultClass(method, cairn.result, peer.result, params);
  if (peer.error === undefined) return `refused by the gateway: ${method}: ${words(cairn.error.message)}`;
  if (cairn.error === undefined) return `refused by geth: ${method}: ${words(peer.error.message)}`;
  if (cairn.error.code !== peer.error.code)
    return `code ${cairn.error.code} for ${peer.error.code}: ${words(peer.error.message)}`;
  const { message } = peer.error;
  if (cairn.error.message === message || cairn.error.message.startsWith(`${message}. `)) return undefined;
  // Maps and lists of values: each decoder finds another fault first.
  if (several.has(method) && [message, cairn.error.message].every((text) => text.startsWith('invalid argument')))
    return 'message: several faults';
  return `message: ${words(message)}`;
}

const several = new Set([
  'eth_getStorageValues',
  'eth_getLogs',
  'eth_newFilter',
  'eth_subscribe',
  'eth_fillTransaction',
]);

/** Methods that return a generated id. */
const ids = new Set(['eth_subscribe', 'eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter']);
const idClass = (method, ...results) =>
  results.every((id) => /^0x[0-9a-f]{1,32}$/.test(id)) ? undefined : `id of ${method}`;

/** Separates the blob fees of eth_feeHistory from its other fields. */
function resultClass(method, cairn, peer, params) {
  if (method === 'eth_feeHistory') {
    const { baseFeePerBlobGas: ours, ...rest } = cairn;
    const { baseFeePerBlobGas: theirs, ...peerRest } = peer;
    const differ = ours?.filter((fee, index) => fee !== theirs?.[index]);
    if (isSame(rest, peerRest) && differ?.length === 1) return 'one blob fee of eth_feeHistory';
  }
  return `result of ${method}${isPendingIn(params) ? ' for pending' : ''}`;
}

const isPendingIn = (params) => JSON.stringify(params ?? null).includes('"pending"');

/** Removes values of the case from a message. */
const words = (message) =>
  message
    .replace(/^missing trie node .*/, 'missing trie node')
    .replace(/0x[0-9a-fA-F]+/g, '0x…')
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\[[\d ]+\]/g, '[…]')
    .replace(/\d+(\.\d+)?/g, 'N');

/** Removes values that differ between clients. */
function comparable(result, isPending) {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { totalDifficulty: _, logs, ...rest } = result;
  // eth_capabilities: geth limits its log index to a number of blocks.
  if (typeof logs === 'object' && logs !== null)
    rest.logs = Array.isArray(logs) ? logs : { ...logs, deleteStrategy: undefined };
  if (isPending && rest.hash === null) for (const field of ofItsOwn) delete rest[field];
  return rest;
}

/** Reports whether two JSON values are equal, in any order of members. */
function isSame(a, b) {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key], b[key]));
}
