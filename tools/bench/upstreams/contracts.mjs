import { keccak256 } from '@cairn/cid';

const hex = (number, digits) => number.toString(16).padStart(digits, '0');
const word = (number) => hex(number, 64);
const pushAddress = (address) => `73${address.slice(2)}`;
const address = (kind, number) => `0x${kind}${hex(number, 38)}`;

const sender = address('5e', 1);
/** Account whose transfers change the state root between blocks. */
export const payer = address('5f', 1);
/** Emits an event without data: LOG1 with topic 1. */
export const emitter = address('e0', 1);
export const topic = `0x${word(1)}`;

/** Slot of a Solidity mapping at slot 0. */
function mappingSlot(key) {
  return `0x${Buffer.from(keccak256(Buffer.from(`${word(key)}${word(0)}`, 'hex'))).toString('hex')}`;
}

/** `balanceOf` over a mapping at slot 0: CALLDATALOAD, KECCAK256, SLOAD. The last bytes make each code distinct. */
const tokenCode = (number) => `0x6004355f525f60205260405f20545f5260205ff3${hex(number, 8)}`;
export const token = (number) => address('70', number);
/** Call of `balanceOf`. The contract ignores the salt, which makes calls on the same slots distinct. */
export const balanceOf = (to, holder, salt = 0) => ({
  from: sender,
  to,
  data: `0x70a08231${word(holder)}${word(salt)}`,
});

/** Slots that each of the five contracts reads. */
const slotsEach = 6;
const leavesEach = 4;
const sumOfSlots = (from, to) =>
  `5f${Array.from({ length: to - from }, (_, at) => `60${hex(from + at, 2)}5401`).join('')}`;
const leafCode = (number) => `0x${sumOfSlots(0, slotsEach)}5f5260205ff3${hex(number, 8)}`;
/** STATICCALL of the address that `push` leaves on the stack, and the sum of its result. */
const addResultOf = (push) => `60205f5f5f${push}5afa505f5101`;
const root = (number) => address('7a', number);
const leaf = (number, at) => address('7b', number * leavesEach + at);
const leavesOf = (number) => Array.from({ length: leavesEach }, (_, at) => leaf(number, at));

/** Reads 30 slots in 5 contracts. The addresses of the four others are in its code, or in its slots 2 to 5. */
function rootCode(number, areInStorage) {
  const calls = leavesOf(number).map((leafAddress, at) =>
    addResultOf(areInStorage ? `60${hex(slotsEach - leavesEach + at, 2)}54` : pushAddress(leafAddress)),
  );
  const own = sumOfSlots(0, areInStorage ? slotsEach - leavesEach : slotsEach);
  return `0x${own}${calls.join('')}5f5260205ff3${hex(number, 8)}`;
}
export const readThirty = (number, salt = 0) => ({ from: sender, to: root(number), data: `0x01020304${word(salt)}` });

/** Slots of a contract. Contracts of the same slots would share one storage trie, so that only the first is cold. */
const values = (number) =>
  Object.fromEntries(
    Array.from({ length: slotsEach }, (_, at) => [`0x${word(at)}`, `0x${word(1_000_000 * number + at + 1)}`]),
  );

/** Accounts of tokens, each with the balances of some holders. */
function tokens(count, holders) {
  const slots = Array.from({ length: holders }, (_, holder) => mappingSlot(holder));
  return Array.from({ length: count }, (_, number) => {
    const storage = Object.fromEntries(
      slots.map((slot, holder) => [slot, `0x${word(1_000_000 * number + holder + 1)}`]),
    );
    return [token(number), { balance: '0x0', code: tokenCode(number), storage }];
  });
}

/** Roots with an even number have the addresses of the others in their code, those with an odd one in storage. */
function trees(count) {
  return Array.from({ length: count }, (_, number) => {
    const leaves = leavesOf(number);
    const areInStorage = number % 2 === 1;
    const addresses = leaves.map((leafAddress, at) => [
      `0x${word(slotsEach - leavesEach + at)}`,
      `0x${leafAddress.slice(2).padStart(64, '0')}`,
    ]);
    const storage = { ...values(5 * number), ...(areInStorage && Object.fromEntries(addresses)) };
    return [
      [root(number), { balance: '0x0', code: rootCode(number, areInStorage), storage }],
      ...leaves.map((leafAddress, at) => [
        leafAddress,
        { balance: '0x0', code: leafCode(number * leavesEach + at), storage: values(5 * number + 1 + at) },
      ]),
    ];
  }).flat();
}

const forks = 'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london'.split(' ');

/** Genesis of the chain of the bench. */
export function benchGenesis({ tokenCount, holders, treeCount }) {
  return {
    config: {
      chainId: 1337,
      ...Object.fromEntries(forks.map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 0,
    },
    nonce: '0x0',
    extraData: '0x',
    mixHash: `0x${'00'.repeat(32)}`,
    coinbase: `0x${'00'.repeat(20)}`,
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    baseFeePerGas: '0x3b9aca00',
    timestamp: '0x0',
    alloc: {
      [sender]: { balance: '0x56bc75e2d63100000' },
      [payer]: { balance: '0x56bc75e2d63100000' },
      [emitter]: { balance: '0x0', code: '0x60015f5fa100' },
      ...Object.fromEntries([...tokens(tokenCount, holders), ...trees(treeCount)]),
    },
  };
}
