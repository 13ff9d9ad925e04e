/** Returns any value: JSON of the wrong kind, and texts at the limits of numbers and bytes. */
const oddities = [
  null,
  true,
  false,
  0,
  1,
  1.5,
  -1,
  '',
  'x',
  '0',
  '1',
  '0x',
  '0X',
  '0x0',
  '0X1',
  '0x00',
  '0x01',
  '0xg',
  '0x1g',
  ' 0x1',
  '0x1 ',
  '-0x1',
  '0xffffffffffffffff',
  '0x7fffffffffffffff',
  '0x8000000000000000',
  '0x10000000000000000',
  `0x${'f'.repeat(64)}`,
  `0x1${'0'.repeat(64)}`,
  `0x${'0'.repeat(63)}`,
  `0x${'g'.repeat(64)}`,
  `0x${'g'.repeat(62)}`,
  `0x${'0'.repeat(66)}`,
  '0'.repeat(66),
  [],
  [null],
  ['0x1'],
  {},
  { blockNumber: '0x1' },
  'latest',
  'LATEST',
  '"latest"',
];

const upper = (text) => `0x${text.slice(2).toUpperCase()}`;
const hex = (number) => `0x${number.toString(16)}`;

/** Creates values for each kind of parameter from the data of the chain. */
export function createValues({ accounts, blocks, transactions, logs, random }) {
  const pickHash = (hashes) => {
    const hash = random.pick(hashes);
    return random.pick([hash, hash, hash, upper(hash), hash.replace('0x', '0X')]);
  };
  const unknownHash = () => `0x${Buffer.from(random.bytes(32)).toString('hex')}`;
  const tag = () => random.pick(['latest', 'earliest', 'pending', 'latest', 'pending', 'safe', 'finalized']);
  const known = {
    address: () => (random.chance(0.2) ? `0x${Buffer.from(random.bytes(20)).toString('hex')}` : pickHash(accounts)),
    blockHash: () => (random.chance(0.2) ? unknownHash() : pickHash(blocks)),
    transactionHash: () => (random.chance(0.2) ? unknownHash() : pickHash(transactions)),
    height: () => (random.chance(0.3) ? tag() : hex(random.integer(0, blocks.length + 1))),
    block: () =>
      random.pick([
        known.height,
        known.height,
        known.blockHash,
        () => ({ blockNumber: value('height') }),
        () => ({ blockHash: value('blockHash'), ...(random.chance(0.5) && { requireCanonical: value('flag') }) }),
        () => ({ blockNumber: value('height'), blockHash: value('blockHash') }),
      ])(),
    flag: () => random.chance(0.5),
    index: () => hex(random.integer(0, 6)),
    count: () =>
      random.pick([
        hex(random.integer(0, 60)),
        random.integer(0, 60),
        String(random.integer(0, 60)),
        '0x0400',
        '0x401',
      ]),
    percentiles: () =>
      random.pick([
        () => [],
        () => null,
        () => [0, 10.5, 50, 100],
        () => Array.from({ length: random.integer(1, 4) }, () => random.integer(-1, 101)),
        () => [random.integer(0, 100)],
        () => [25, null],
        () => ['50'],
        () => Array.from({ length: 101 }, (_, index) => index / 2),
      ])(),
    slot: () =>
      random.pick([
        () => hex(random.integer(0, 8)),
        () => String(random.integer(0, 8)),
        () => `0x${hex(random.integer(0, 8)).slice(2).padStart(64, '0')}`,
        () => `0x${'0'.repeat(random.integer(0, 70))}`,
        () => '0XAB',
      ])(),
    slots: () => Array.from({ length: random.integer(0, 3) }, () => value('slot')),
    slotsByAddress: () =>
      Object.fromEntries(
        Array.from({ length: random.integer(0, 2) }, () => [
          random.chance(0.1) ? '0x1' : known.address(),
          random.chance(0.1)
            ? random.pick(oddities)
            : Array.from({ length: random.integer(0, 3) }, () =>
                random.chance(0.1) ? value('slot') : `0x${hex(random.integer(0, 8)).slice(2).padStart(64, '0')}`,
              ),
        ]),
      ),
    filter: () => filter(),
    bytes: () => random.pick(['0x', '0x00', '0xAbCd', `0x${Buffer.from(random.bytes(9)).toString('hex')}`]),
    transaction: () => transaction(),
    topic: () =>
      random.pick(['newHeads', 'logs', 'logs', 'transactionReceipts', 'syncing', 'newPendingTransactions', 'other']),
    topicFilter: () =>
      random.pick([
        () => value('filter'),
        () => value('filter'),
        () => ({ transactionHashes: value('hashes') }),
        () => value('flag'),
        () => random.pick(oddities),
      ])(),
    hashes: () => Array.from({ length: random.pick([0, 1, 2, 201]) }, () => value('transactionHash')),
    text: () => random.pick(['0x1', 'newHeads', 'x']),
  };
  const amount = () => random.pick(['0x0', '0x1', '0x5f5e100', '0xee6b280', '0xffffffffffffffffffff']);
  const optional = (name, chance, make) =>
    random.chance(chance) ? { [name]: random.chance(0.1) ? random.pick(oddities) : make() } : {};
  const transaction = () => ({
    ...optional('from', 0.8, () => random.pick(accounts)),
    ...optional('to', 0.8, () => random.pick(accounts)),
    ...optional('gas', 0.5, () => random.pick(['0x5208', '0x186a0', '0xffffff'])),
    ...optional('nonce', 0.2, () => hex(random.integer(0, 300))),
    ...optional('value', 0.4, amount),
    ...optional('data', 0.3, () => value('bytes')),
    ...optional('input', 0.15, () => value('bytes')),
    ...optional('gasPrice', 0.2, amount),
    ...optional('maxFeePerGas', 0.25, amount),
    ...optional('maxPriorityFeePerGas', 0.25, amount),
    ...optional('maxFeePerBlobGas', 0.1, amount),
    ...optional('chainId', 0.1, () => random.pick(['0x1', '0xc72dd9d5e883e'])),
    ...optional('accessList', 0.2, () =>
      random.pick([
        [],
        [{ address: random.pick(accounts), storageKeys: [] }],
        [{ address: random.pick(accounts) }],
        [null],
      ]),
    ),
    ...optional('blobVersionedHashes', 0.1, () =>
      Array.from({ length: random.integer(0, 7) }, () => `0x01${'00'.repeat(31)}`),
    ),
    ...optional('authorizationList', 0.1, () =>
      random.pick([
        [],
        [{}],
        [{ chainId: '0x0', address: random.pick(accounts), nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }],
      ]),
    ),
  });
  const topic = () => random.pick([null, ...logs.flatMap(({ topics }) => topics)].slice(0, 30));
  const filter = () => ({
    ...(random.chance(0.6) && { fromBlock: value('height') }),
    ...(random.chance(0.6) && { toBlock: value('height') }),
    ...(random.chance(0.15) && { blockHash: value('blockHash') }),
    ...(random.chance(0.4) && {
      address: random.pick([
        () => value('address'),
        () => random.pick(logs).address,
        () => [random.pick(logs).address, value('address')],
        () => random.pick(oddities),
      ])(),
    }),
    ...(random.chance(0.4) && {
      topics: random.pick([
        () => [topic()],
        () => [topic(), topic()],
        () => [[topic(), topic()], null],
        () => [value('blockHash')],
        () => random.pick(oddities),
        () => [random.pick(oddities)],
        () => [[random.pick(oddities)]],
        () => Array(5).fill(null),
      ])(),
    }),
  });
  /** Returns a value of a kind, rarely of another one. */
  function value(kind) {
    return random.chance(0.12) ? random.pick(oddities) : known[kind]();
  }
  return {
    value,
    /** Returns parameters of a method. Sometimes one is missing, malformed or superfluous. */
    params(kinds) {
      const params = kinds
        .filter((kind) => !kind.endsWith('?') || random.chance(0.8))
        .map((kind) => value(kind.replace('?', '')));
      if (random.chance(0.05)) params.pop();
      if (random.chance(0.04)) params.push(random.pick(oddities));
      return params;
    },
  };
}
