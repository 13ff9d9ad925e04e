import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BlobSidecar,
  blobHashOf,
  decodePooledTransaction,
  encodePooledTransaction,
  encodeTransaction,
  type Hex,
  hexFromBytes,
  type PooledTransaction,
  parseGethGenesis,
  signingHash,
  type Transaction,
} from '@cairn/block-model';
import { prepareKzg, verifyBlobs } from '@cairn/block-model/kzg';
import { vectorSidecar } from '@cairn/block-model/testing';
import { checkPooledSender, checkPooledTransaction, forkRules } from '@cairn/evm-executor';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { privateKeyToAddress, sign } from 'viem/accounts';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { startGeth } from '../../../tools/peers/geth.mjs';
import { parseRawTransaction } from '../src/sending/raw-transaction.ts';

// The checks of sent transactions, compared with a real geth.
const privateKey = `0x${'77'.repeat(32)}` as const;
const otherKey = `0x${'78'.repeat(32)}` as const;
const balance = 10n ** 18n;
const to: Hex = `0x${'11'.repeat(20)}`;
const fromLondon = Object.fromEntries(
  [
    'homestead',
    'eip150',
    'eip155',
    'eip158',
    'byzantium',
    'constantinople',
    'petersburg',
    'istanbul',
    'berlin',
    'london',
  ].map((fork) => [`${fork}Block`, 0]),
);
const blobSchedule = Object.fromEntries(
  ['cancun', 'prague', 'osaka'].map((fork) => [fork, { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }]),
);
const genesis = {
  config: {
    chainId: 1337,
    ...fromLondon,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    osakaTime: 0,
    blobSchedule,
  },
  nonce: '0x0',
  extraData: '0x',
  mixHash: `0x${'00'.repeat(32)}`,
  coinbase: `0x${'00'.repeat(20)}`,
  gasLimit: '0xf4240',
  difficulty: '0x0',
  baseFeePerGas: '0x7',
  timestamp: '0x0',
  alloc: { [privateKeyToAddress(privateKey)]: { balance: `0x${balance.toString(16)}` } },
};

const isBuilt = peerBinary('geth') !== undefined;
if (!isBuilt) {
  // Prints the reason, since Jest does not show the names of skipped tests.
  process.stderr.write(`${howToEnable('geth')}\n`);
  test.skip(howToEnable('geth'), () => {});
}

let directory: string;
let geth: Awaited<ReturnType<typeof startGeth>>;

beforeAll(async () => {
  await prepareKzg();
  directory = await mkdtemp(join(tmpdir(), 'cairn-send-'));
  const file = join(directory, 'genesis.json');
  await writeFile(file, JSON.stringify(genesis));
  geth = await startGeth({ genesis: file, allowsUnprotected: false });
});
afterAll(async () => {
  await geth?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Text of geth's refusal; `undefined` if it accepts the transaction. */
async function gethText(raw: Hex): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction', params: [raw] });
  const response = await fetch(String(geth?.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  return error?.message;
}

const spec = parseGethGenesis('own', genesis).spec;
const chain = {
  chainId: 1337n,
  rules: forkRules(spec, { number: 0n, timestamp: 0n, difficulty: 0n }),
  gasLimit: 1_000_000n,
};

/** Text of our refusal, without the hint; `undefined` if all checks pass. */
function ownText(raw: Hex): string | undefined {
  try {
    const sent = parseRawTransaction('transaction', raw);
    const sender = checkPooledTransaction(sent, sent.bytes, chain);
    const isFunded = sender === privateKeyToAddress(privateKey).toLowerCase();
    checkPooledSender(sent.transaction, isFunded ? { nonce: 0n, balance } : undefined);
    return sent.sidecar === undefined || verifyBlobs(sent.sidecar) ? undefined : 'KZG verification error';
  } catch (error) {
    return (error as Error).message.replace(/\. The parameter must be .*/, '');
  }
}

type Fields = Partial<Omit<Transaction, 'hash' | 'raw'>>;

async function signed(fields: Fields, key: Hex = privateKey): Promise<Transaction> {
  const { type = 2, chainId = 1337n } = fields;
  const fees = type < 2 ? { gasPrice: 10n } : { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n };
  const whole = { type, nonce: 0n, gas: 50_000n, to, value: 0n, input: '0x' as Hex, ...fees, ...fields };
  const isLegacy = type === 0;
  const withChain = { ...whole, ...(!isLegacy && { chainId }) };
  const offset = isLegacy ? 35n + chainId * 2n : 0n;
  const draft = decodePooledTransaction(encodeTransaction({ ...withChain, v: offset, r: 1n, s: 1n })).transaction;
  const { r, s, yParity = 0 } = await sign({ hash: hexFromBytes(signingHash(draft)), privateKey: key });
  const signature = { v: offset + BigInt(yParity), r: BigInt(r), s: BigInt(s), ...(fields.r !== undefined && fields) };
  return decodePooledTransaction(encodeTransaction({ ...withChain, ...signature })).transaction;
}

const encoded = (pooled: PooledTransaction) => hexFromBytes(encodePooledTransaction(pooled));

async function blobs(sidecar: BlobSidecar, fields: Fields = {}, hashes = sidecar.commitments.map(blobHashOf)) {
  const fees = { maxFeePerBlobGas: 1n, blobVersionedHashes: hashes };
  return encoded({ transaction: await signed({ type: 3, ...fees, ...fields }, privateKey), sidecar });
}

(isBuilt ? describe : describe.skip)('sent transactions beside geth', () => {
  test('refusals have the texts of geth', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const valid = await signed({});
    const sidecar = vectorSidecar(1);
    const one: BlobSidecar = {
      ...sidecar,
      blobs: sidecar.blobs.slice(1),
      commitments: sidecar.commitments.slice(1),
      proofs: sidecar.proofs.slice(128),
    };
    const again = (fields: Fields) => encodeTransaction({ ...valid, ...fields });
    const cases: readonly (readonly [string, Hex | Uint8Array | Transaction])[] = [
      ['nothing', '0x'],
      ['type alone', '0x02'],
      ['type 0', '0x00c0'],
      ['type 5', '0x05c0'],
      ['chain', await signed({ chainId: 1n })],
      ['legacy chain', await signed({ type: 0, chainId: 1n })],
      ['unprotected', again({ type: 0, gasPrice: 10n, v: 27n })],
      ['high s', again({ s: order - valid.s, v: 1n - valid.v })],
      ['r is zero', again({ r: 0n })],
      ['parity', again({ v: 2n })],
      ['large r', again({ r: order })],
      ['no point', again({ r: 5n, s: 1n })],
      ['fee cap', await signed({ maxFeePerGas: 10n ** 15n, gas: 1_000_000n })],
      ['fee at the cap', await signed({ maxFeePerGas: 10n ** 12n, gas: 1_000_000n, value: 1n })],
      ['fee just above the cap', await signed({ maxFeePerGas: 10n ** 12n + 1n, gas: 1_000_000n, value: 1n })],
      ['tip', await signed({ maxPriorityFeePerGas: 11n })],
      ['block gas', await signed({ gas: 1_000_001n })],
      ['gas cap', await signed({ gas: 16_777_217n })],
      ['intrinsic gas', await signed({ gas: 20_999n })],
      ['creation gas', await signed({ to: null, input: '0x00', gas: 53_001n })],
      [
        'access list gas',
        await signed({ gas: 21_000n, accessList: [{ address: to, storageKeys: [`0x${'00'.repeat(32)}`] }] }),
      ],
      ['floor', await signed({ gas: 25_000n, input: `0x${'ff'.repeat(200)}` })],
      ['size', await signed({ input: `0x${'00'.repeat(131_000)}` })],
      ['init code', await signed({ to: null, input: `0x${'00'.repeat(49_153)}`, gas: 900_000n })],
      ['nonce', await signed({ nonce: 2n ** 64n - 1n })],
      ['funds', await signed({ value: balance })],
      ['another sender', await signed({}, otherKey)],
      ['no authorization', await signed({ type: 4, authorizationList: [] })],
      [
        'no sidecar',
        await signed({ type: 3, maxFeePerBlobGas: 1n, blobVersionedHashes: sidecar.commitments.map(blobHashOf) }),
      ],
      ['blob fee', await blobs(one, { maxFeePerBlobGas: 0n })],
      ['blob funds', await blobs(one, { maxFeePerBlobGas: balance })],
      ['number of commitments', await blobs(one, {}, sidecar.commitments.map(blobHashOf))],
      ['order of commitments', await blobs(sidecar, {}, sidecar.commitments.map(blobHashOf).reverse())],
      ['number of proofs', await blobs({ ...one, proofs: one.proofs.slice(1) })],
      ['no blobs', await blobs({ version: 1, blobs: [], commitments: [], proofs: [] })],
      ['blobs missing', await blobs({ ...sidecar, blobs: one.blobs })],
      [
        'blobs over the limit',
        await blobs({
          version: 1,
          blobs: [],
          commitments: Array.from({ length: 7 }, () => new Uint8Array(48)),
          proofs: [],
        }),
      ],
    ];
    const texts = await Promise.all(
      cases.map(async ([name, transaction]) => {
        const bytes = transaction instanceof Uint8Array ? hexFromBytes(transaction) : transaction;
        const raw = typeof bytes === 'string' ? bytes : hexFromBytes(bytes.raw);
        return [name, await gethText(raw), ownText(raw)] as const;
      }),
    );
    expect(texts.map(([name, , own]) => [name, own])).toEqual(texts.map(([name, theirs]) => [name, theirs]));
    expect(texts.every(([, theirs]) => theirs !== undefined)).toBe(true);
  });

  test('a changed bit has the result of geth', async () => {
    const { raw } = await signed({ nonce: 900n });
    for (let at = 0; at < raw.length * 8; at += 3) {
      const changed = Uint8Array.from(raw);
      changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
      const text = hexFromBytes(changed);
      const [theirs, own] = [await gethText(text), ownText(text)];
      // Faults of the encoding have texts of Go's decoder, such as names of its types.
      if (theirs?.startsWith('rlp: ')) expect([at, own]).toEqual([at, expect.any(String)]);
      else expect([at, own]).toEqual([at, theirs]);
    }
  });

  test('both accept valid transactions of all types without blobs', async () => {
    const authorization = { chainId: 0n, address: to, nonce: 0n, yParity: 0n, r: 1n, s: 1n };
    const plain = [
      await signed({ type: 0, nonce: 10n }),
      await signed({ type: 1, nonce: 11n }),
      await signed({ type: 2, nonce: 12n }),
      await signed({ type: 4, nonce: 13n, authorizationList: [authorization] }),
    ].map(({ raw }) => hexFromBytes(raw));
    for (const raw of plain) expect([await gethText(raw), ownText(raw)]).toEqual([undefined, undefined]);
  });

  test('both accept blobs with proofs of versions 0 and 1, and refuse wrong proofs', async () => {
    // geth keeps a sender in one pool, so the blobs come first in a new geth.
    await geth?.stop();
    geth = await startGeth({ genesis: join(directory, 'genesis.json') });
    const sidecar = vectorSidecar(1);
    const wrong = await blobs({ ...sidecar, proofs: [...sidecar.proofs].reverse() });
    expect(await gethText(wrong)).toBe("KZG verification error: can't verify opening proof");
    expect(ownText(wrong)).toBe('KZG verification error');
    for (const [nonce, version] of [
      [0n, 1],
      [1n, 0],
    ] as const) {
      const raw = await blobs(vectorSidecar(version), { nonce });
      expect([version, await gethText(raw), ownText(raw)]).toEqual([version, undefined, undefined]);
    }
  });
});
