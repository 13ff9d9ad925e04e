import { deploying, randomCode } from './codes.mjs';
import { hexOf } from './hex.mjs';

const quantity = (n) => `0x${BigInt(n).toString(16)}`;
const nonceMax = 2n ** 64n - 1n;
const wei = 10n ** 18n;
/** Below the caps of both servers on any block. */
const gasMax = 5_000_000;

/**
 * Makes random requests of the four methods that run messages.
 * @param chain `accounts` (with funds), `contracts`, `authorizations` (signed), `head` (number), `chainId`
 */
export function createRequests(random, chain) {
  const strangers = Array.from({ length: 4 }, () => `0x${hexOf(random, 20)}`);
  const precompiles = [1, 2, 3, 4, 5, 9, 0x0a, 0x0b, 0x100].map((n) => `0x${n.toString(16).padStart(40, '0')}`);
  const addresses = [
    ...chain.accounts.slice(0, 5),
    ...chain.contracts,
    ...strangers,
    ...precompiles,
    `0x${'00'.repeat(20)}`,
  ];
  const senders = [
    ...chain.accounts.slice(0, 5),
    ...chain.accounts.slice(0, 5),
    ...strangers.slice(0, 2),
    ...chain.contracts.slice(0, 1),
  ];
  const maybe = (probability, make) => (random.chance(probability) ? make() : undefined);
  const defined = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
  const word = () =>
    `0x${random.chance(0.7) ? random.integer(0, 3).toString(16).padStart(64, '0') : hexOf(random, 32)}`;
  const slots = () => Object.fromEntries(Array.from({ length: random.integer(0, 3) }, () => [word(), word()]));
  const nonce = () =>
    random.pick([0n, 1n, 5n, nonceMax, nonceMax, nonceMax - 1n, random.chance(0.1) ? nonceMax + 1n : 2n ** 63n]);
  const fee = () =>
    quantity(random.pick([0n, 1n, 7n, 10n ** 9n, 2n * 10n ** 9n, 10n ** 12n, 10n ** 40n, 2n ** 256n - 1n]));

  const gas = () =>
    quantity(
      random.pick([
        0n,
        20_999n,
        21_000n,
        BigInt(random.integer(21_000, 60_000)),
        BigInt(random.integer(53_000, 400_000)),
        BigInt(random.integer(53_000, 400_000)),
        1_000_000n,
        2n ** 24n,
        2n ** 24n + 1n,
        random.chance(0.1) ? 2n ** 64n : 2n ** 64n - 1n,
      ]),
    );

  const data = () =>
    random.pick([
      () => '0x',
      () => `0x${hexOf(random, random.integer(1, 40))}`,
      () => `0x${'00'.repeat(random.integer(1, 40))}`,
      () => `0x${hexOf(random, random.pick([192, 213, 128]))}`,
    ])();

  const fees = () =>
    random.pick([
      () => ({}),
      () => ({}),
      () => ({ gasPrice: fee() }),
      () => ({ maxFeePerGas: fee() }),
      () => ({ maxPriorityFeePerGas: fee() }),
      () => ({ maxFeePerGas: fee(), maxPriorityFeePerGas: fee() }),
      () => ({ gasPrice: fee(), maxFeePerGas: fee() }),
    ])();

  const accessList = () =>
    Array.from({ length: random.integer(0, 3) }, () => ({
      address: random.pick(addresses),
      storageKeys: Array.from({ length: random.integer(0, 3) }, word),
    }));

  const blobs = () => {
    const hashes = Array.from({ length: random.pick([0, 1, 2, 6, 7, 9, 10]) }, () => `0x01${hexOf(random, 31)}`);
    if (hashes.length > 0 && random.chance(0.1)) hashes[0] = `0x00${hexOf(random, 31)}`;
    return hashes;
  };

  function call({ isSimple = false } = {}) {
    const isCreation = random.chance(0.15);
    const rarely = isSimple ? 0.02 : 0.08;
    return defined({
      from: maybe(0.9, () => random.pick(senders)),
      to: isCreation ? undefined : random.pick(addresses),
      gas: maybe(0.75, gas),
      value: maybe(0.3, () => quantity(random.pick([0n, 1n, 10n ** 9n, wei, 10n ** 40n]))),
      nonce: maybe(rarely, () => quantity(nonce())),
      ...(random.chance(0.4) ? fees() : {}),
      ...(isCreation
        ? { data: random.chance(0.5) ? deploying(randomCode(random, addresses)) : randomCode(random, addresses) }
        : {
            [random.pick(['data', 'input'])]: maybe(0.5, data),
            ...(random.chance(0.02) && { data: data(), input: data() }),
          }),
      accessList: maybe(0.1, accessList),
      blobVersionedHashes: maybe(rarely, blobs),
      maxFeePerBlobGas: maybe(rarely, fee),
      authorizationList: maybe(rarely, () =>
        Array.from({ length: random.integer(0, 3) }, () => random.pick(chain.authorizations)),
      ),
      chainId: maybe(0.03, () => quantity(random.pick([chain.chainId, 1n]))),
    });
  }

  const account = () =>
    defined({
      nonce: maybe(0.2, () => quantity(nonce())),
      balance: maybe(0.3, () => quantity(random.pick([0n, 1n, 21_000n * 10n ** 9n, wei, 10n ** 40n, 2n ** 256n - 1n]))),
      code: maybe(0.75, () =>
        random.chance(0.05) ? `0xef0100${random.pick(addresses).slice(2)}` : randomCode(random, addresses),
      ),
      state: maybe(0.1, slots),
      stateDiff: maybe(0.15, slots),
      movePrecompileToAddress: maybe(0.02, () => random.pick(addresses)),
    });

  /** Returns accounts to override, among them the called one. */
  const overrides = ({ from, to } = {}) => {
    const chosen = new Set(Array.from({ length: random.integer(0, 2) }, () => random.pick(addresses)));
    if (to !== undefined && random.chance(0.85)) chosen.add(to);
    if (from !== undefined && random.chance(0.2)) chosen.add(from);
    return Object.fromEntries([...chosen].map((address) => [address, account()]));
  };

  const times = [0, 100, 389, 390, 420, 449, 450, 480, 510, 540, 1_000_000];
  const blockFields = () =>
    defined({
      number: maybe(0.3, () =>
        quantity(
          random.pick([0, 1, 3, 6, 9, 12, 15, 18, 24, 26, 27, 36, 40, 54, 55, 60, 300, 2n ** 64n - 1n, 2n ** 65n]),
        ),
      ),
      time: maybe(0.4, () => quantity(random.pick([...times, 2n ** 64n - 1n, 2n ** 64n]))),
      gasLimit: maybe(0.15, () => quantity(random.pick([0n, 21_000n, 100_000n, 30_000_000n, 2n ** 64n - 1n]))),
      feeRecipient: maybe(0.15, () => random.pick(addresses)),
      prevRandao: maybe(0.15, word),
      baseFeePerGas: maybe(0.2, () => quantity(random.pick([0n, 1n, 10n ** 9n, 10n ** 12n, 2n ** 256n - 1n]))),
      blobBaseFee: maybe(0.15, () => quantity(random.pick([0n, 1n, 10n ** 9n]))),
      difficulty: maybe(0.1, () => quantity(random.pick([0n, 1n, 131_072n]))),
    });

  /** Drops absent values at the end. */
  const trimmed = (params) => {
    while (params.at(-1) === undefined) params.pop();
    return params.map((param) => param ?? {});
  };

  const message = (withBlock) => {
    const number = random.integer(0, chain.head);
    const made = call();
    // An estimate treats gas below that of a transfer as absent.
    const isCapped = Number(made.gas) >= 21_000 && Number(made.gas) < gasMax;
    if (!chain.cappedBlocks.has(number) && !isCapped) made.gas = quantity(gasMax);
    const state = maybe(0.9, () => overrides(made));
    const fields = withBlock ? maybe(0.3, blockFields) : undefined;
    if (fields !== undefined && random.chance(0.03)) fields.beaconRoot = word();
    return trimmed([made, number === chain.head ? 'latest' : quantity(number), state, fields]);
  };

  function simulation() {
    let number = random.integer(20, chain.head);
    const base = quantity(number);
    let time = 10 * number;
    const blocks = Array.from({ length: random.integer(1, 3) }, () => {
      const fields = maybe(0.5, blockFields);
      if (fields !== undefined) {
        // Usually in ascending order.
        if (fields.number !== undefined && random.chance(0.9)) {
          number += random.integer(1, 3);
          fields.number = quantity(number);
        }
        if (fields.time !== undefined && random.chance(0.9)) {
          time += random.pick([1, 12, 50, 100, 500]);
          fields.time = quantity(time);
        }
        if (random.chance(0.1)) fields.beaconRoot = word();
        if (random.chance(0.1))
          fields.withdrawals = [
            {
              index: '0x0',
              validatorIndex: '0x1',
              address: random.pick(addresses),
              amount: quantity(random.integer(0, 9)),
            },
          ];
      }
      const calls = maybe(0.9, () => Array.from({ length: random.integer(0, 3) }, () => call({ isSimple: true })));
      return defined({
        blockOverrides: fields,
        stateOverrides: maybe(0.8, () => overrides(calls?.[0])),
        calls,
      });
    });
    const options = defined({
      blockStateCalls: blocks,
      validation: maybe(0.3, () => true),
      traceTransfers: maybe(0.3, () => true),
      returnFullTransactions: maybe(0.3, () => true),
    });
    return [options, base];
  }

  const makers = {
    eth_call: () => message(true),
    eth_estimateGas: () => message(true),
    eth_createAccessList: () => message(false),
    eth_simulateV1: simulation,
  };
  return (methods = Object.keys(makers)) => {
    const method = random.pick(methods);
    return { method, params: makers[method]() };
  };
}
