// Lies about proofs and code. A result of eth_getProof is changed in a copy.
const proof = ['eth_getProof'];
const code = ['eth_getCode'];

/** Flips one bit of a hex text, `fromEnd` digits before its end. */
export function flipped(hex, fromEnd = 2) {
  if (typeof hex !== 'string' || hex.length <= 2 + fromEnd) return '0x01';
  const at = hex.length - fromEnd;
  const digit = (Number.parseInt(hex[at], 16) ^ 1).toString(16);
  return `${hex.slice(0, at)}${digit}${hex.slice(at + 1)}`;
}

const ofProof = (change) => (result) => {
  if (result === null || typeof result !== 'object') return result;
  const copy = structuredClone(result);
  return change(copy) ?? copy;
};
const withFields = (fields) => ofProof((copy) => ({ ...copy, ...fields }));
const onSlots = (change) =>
  ofProof((copy) => {
    copy.storageProof = change(copy.storageProof ?? [], copy);
  });
const onNodes = (change) =>
  ofProof((copy) => {
    copy.accountProof = change(copy.accountProof ?? []);
  });
const lastChanged = (fromEnd) => (nodes) => [...nodes.slice(0, -1), flipped(nodes.at(-1), fromEnd)];

/** Fields repeat what the proof says; a client that reads only proofs is not misled by them. */
const harmless = { isProvable: false };

export const stateLies = [
  {
    name: 'balance beside the proof',
    methods: proof,
    ...harmless,
    result: withFields({ balance: '0xffffffffffff' }),
  },
  {
    name: 'nonce beside the proof',
    methods: proof,
    ...harmless,
    result: withFields({ nonce: '0x99' }),
  },
  {
    name: 'value beside the slot proof',
    methods: proof,
    ...harmless,
    result: onSlots((slots) => slots.map((slot) => ({ ...slot, value: '0x99' }))),
  },
  { name: 'code hash of the account', methods: proof, result: onNodes(lastChanged(2)) },
  { name: 'storage root of the account', methods: proof, result: onNodes(lastChanged(70)) },
  { name: 'balance of the account', methods: proof, result: onNodes(lastChanged(134)) },
  { name: 'nonce of the account', methods: proof, result: onNodes(lastChanged(138)) },
  {
    name: 'root node of another state',
    methods: proof,
    result: onNodes((nodes) => [flipped(nodes[0]), ...nodes.slice(1)]),
  },
  { name: 'account is absent: truncated proof', methods: proof, result: onNodes((nodes) => nodes.slice(0, -1)) },
  { name: 'account is absent: empty proof', methods: proof, result: onNodes(() => []) },
  {
    name: 'account exists: proof of another account',
    methods: proof,
    result: (result, call, memory) => memory.other(call) ?? { ...result, accountProof: [] },
  },
  {
    name: 'old proof of the same method',
    methods: proof,
    result: (result, call, memory) => memory.first(call) ?? { ...result, accountProof: ['0x80'] },
  },
  {
    name: 'value of a slot',
    methods: proof,
    needsSlots: true,
    result: onSlots((slots) => slots.map((slot) => ({ ...slot, proof: lastChanged(2)(slot.proof) }))),
  },
  {
    name: 'slot is zero: truncated proof',
    methods: proof,
    needsSlots: true,
    result: onSlots((slots) => slots.map((slot) => ({ ...slot, proof: slot.proof.slice(0, -1) }))),
  },
  {
    name: 'slot is zero: empty proof',
    methods: proof,
    needsSlots: true,
    result: onSlots((slots) => slots.map((slot) => ({ ...slot, proof: [] }))),
  },
  { name: 'omitted slot', methods: proof, needsSlots: true, result: onSlots((slots) => slots.slice(1)) },
  {
    name: 'slot too many',
    methods: proof,
    result: onSlots((slots) => [...slots, { key: '0x0', value: '0x1', proof: [] }]),
  },
  {
    name: 'reordered slots',
    methods: proof,
    needsSlots: true,
    result: onSlots((slots) => (slots.length > 1 ? slots.toReversed() : [])),
  },
  {
    name: 'nodes in reverse order',
    methods: proof,
    result: onNodes((nodes) => (nodes.length > 1 ? nodes.toReversed() : ['0x'])),
  },
  { name: 'repeated node', methods: proof, result: onNodes((nodes) => [...nodes, ...nodes.slice(-1)]) },
  { name: 'oversized node', methods: proof, result: onNodes((nodes) => [`0x${'ab'.repeat(1 << 20)}`, ...nodes]) },
  { name: 'deep proof of 100,000 nodes', methods: proof, result: onNodes(() => new Array(100_000).fill('0x80')) },
  {
    name: 'node of nested lists',
    methods: proof,
    result: onNodes((nodes) => [`0x${'c1'.repeat(60)}c0`, ...nodes.slice(1)]),
  },
  {
    name: 'node that announces gigabytes',
    methods: proof,
    result: onNodes((nodes) => ['0xfbffffffff00', ...nodes.slice(1)]),
  },
  { name: 'nodes without hex', methods: proof, result: onNodes((nodes) => nodes.map(() => 'node')) },
  { name: 'nodes as numbers', methods: proof, result: onNodes((nodes) => nodes.map((_, index) => index)) },
  { name: 'proof as text', methods: proof, result: withFields({ accountProof: '0x80' }) },
  {
    name: 'proof as an array-like object',
    methods: proof,
    result: withFields({ accountProof: { length: 1, 0: '0x80' } }),
  },
  { name: 'result is a list', methods: proof, result: () => [] },
  { name: 'result is true', methods: proof, result: () => true },
  { name: 'withheld proof', methods: proof, isProvable: false, result: () => null },
  { name: 'other code', methods: code, result: (result) => flipped(result) },
  { name: 'truncated code', methods: code, result: (result) => result.slice(0, -2) },
  { name: 'appended code', methods: code, result: (result) => `${result}00` },
  { name: 'no code', methods: code, result: () => '0x' },
  { name: 'code of 4 MiB', methods: code, result: () => `0x${'5b'.repeat(4 << 20)}` },
  { name: 'code of odd length', methods: code, result: (result) => `${result}0` },
  { name: 'code as an object', methods: code, result: () => ({ toString: 1, valueOf: 1 }) },
  { name: 'withheld code', methods: code, isProvable: false, result: () => null },
];
