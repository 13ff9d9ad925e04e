import { blobHashOf, type Header, type Hex, hexFromBytes, knownChainSpec, type Transaction } from '@cairn/block-model';
import { vectorSidecar } from '@cairn/block-model/testing';
import type { BroadcastOutcome, UpstreamCall } from '@cairn/upstream';
import { describe, expect, test } from '@jest/globals';
import { privateKeyToAccount } from 'viem/accounts';
import type { Chain, ReadOptions } from '../chains/chain.ts';
import { CallExecutor } from '../methods/execution/call-executor.ts';
import type { RequestContext } from '../request-context.ts';
import { parseRawTransaction } from './raw-transaction.ts';
import { SentTransactions } from './sent-transactions.ts';
import { TransactionSender } from './transaction-sender.ts';
import { ReceiptWait } from './wait-for-receipt.ts';

const account = privateKeyToAccount(`0x${'77'.repeat(32)}`);
const to: Hex = `0x${'11'.repeat(20)}`;
const request = {
  to,
  gas: 30_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
  chainId: 1,
  nonce: 3,
  type: 'eip1559',
} as const;
const plain = await account.signTransaction(request);
const sidecar = vectorSidecar(0);
const withBlobs = await account.signTransaction({
  ...request,
  type: 'eip4844',
  maxFeePerBlobGas: 1n,
  blobVersionedHashes: sidecar.commitments.map(blobHashOf),
  sidecars: sidecar.blobs.map((blob, index) => ({
    blob: hexFromBytes(blob),
    commitment: hexFromBytes(sidecar.commitments[index] ?? new Uint8Array()),
    proof: hexFromBytes(sidecar.proofs[index] ?? new Uint8Array()),
  })),
});

interface Stage {
  readonly nonce?: bigint;
  readonly answers?: readonly (string | Error)[];
  readonly areBlobsValid?: boolean;
  readonly readError?: Error;
}

function stage({ nonce = 3n, answers = [], areBlobsValid = true, readError }: Stage = {}) {
  const head = {
    hash: '0xhead',
    number: 24_000_000n,
    timestamp: 1_766_000_000n,
    gasLimit: 45_000_000n,
  } as unknown as Header;
  const broadcasts: unknown[][] = [];
  const jobs: unknown[] = [];
  const listeners = new Set<() => void>();
  const state = { place: undefined as { blockHash: Hex; index: number } | undefined, reads: 0, nonce };
  const chain: Chain = {
    network: { name: 'main' },
    reader: {
      chainId: 1n,
      spec: knownChainSpec('main', 'mainnet'),
      head,
      blockByTag: () => head,
      header: () => head,
      transactionPlace: () => state.place,
      block: () => undefined,
    },
    state: { stateAt: () => ({ getAccount: () => ({ nonce: state.nonce, balance: 10n ** 18n }) }) },
    heads: {
      listen(listener: () => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    upstreams: {
      async broadcast<T>(call: UpstreamCall<T>, { onOutcome }: { onOutcome?: (outcome: BroadcastOutcome<T>) => void }) {
        broadcasts.push([...call.params]);
        const [answer = JSON.parse(JSON.stringify(parseRawTransaction('', call.params[0]).transaction.hash))] = answers;
        if (answer instanceof Error) throw answer;
        const outcome = { upstream: 'node', value: await call.parse(answer) };
        onOutcome?.(outcome);
        return [outcome];
      },
    },
    read: (work: (scoped: Chain) => unknown, _options?: ReadOptions) => {
      state.reads++;
      if (readError !== undefined) return Promise.reject(readError);
      return Promise.resolve().then(() => work(chain));
    },
  } as unknown as Chain;
  const pool = {
    async execute(job: unknown, { onUsed }: { onUsed(use: object): void }) {
      jobs.push(job);
      onUsed({ workerMs: 3, isAnswered: true });
      return { kind: 'verifiedBlobs', isValid: areBlobsValid, gasUsed: 0n };
    },
  };
  const meter = { holdWorkerTime: async () => () => {}, addWorkerTime: () => {}, addGas: () => {} };
  const abort = new AbortController();
  const context = {
    chain,
    meter,
    signal: abort.signal,
    principal: { account: { id: 'a' }, key: { policy: {} } },
  } as unknown as RequestContext;
  const announced: Transaction[] = [];
  const sent = new SentTransactions();
  sent.onSent = (_, transaction) => announced.push(transaction);
  const sender = new TransactionSender({ executor: new CallExecutor(pool as never, { timeoutMs: 1000 }), sent });
  const send = (raw: Hex) => sender.send(context, 'eth_sendRawTransaction', parseRawTransaction('transaction', raw));
  return { send, broadcasts, jobs, chain, context, state, listeners, announced, sent, abort };
}

describe('TransactionSender', () => {
  test('sends the bytes unchanged, once to each upstream, and reports the transaction once', async () => {
    const { send, broadcasts, announced } = stage();
    const hash = await send(plain);
    expect(await send(plain)).toBe(hash);
    expect(broadcasts).toEqual([[plain], [plain]]);
    expect(announced.map((transaction) => transaction.hash)).toEqual([hash]);
  });

  test('sends nothing that the rules refuse', async () => {
    const { send, broadcasts, sent, chain, state } = stage({ nonce: 4n });
    await expect(send(plain)).rejects.toMatchObject({ code: 'POOLED_NONCE_TOO_LOW' });
    expect(broadcasts).toEqual([]);
    // After it was mined, a transaction that was sent here is sent, not refused.
    state.nonce = 3n;
    const hash = await send(plain);
    state.nonce = 4n;
    expect(await send(plain)).toBe(hash);
    expect(broadcasts).toHaveLength(1);
    expect(sent.has(chain, hash)).toBe(true);
  });

  test('verifies the proofs of blobs in a worker', async () => {
    const valid = stage();
    await valid.send(withBlobs);
    expect(valid.jobs).toMatchObject([{ kind: 'verifyBlobs', sidecar: { version: 0 } }]);
    const invalid = stage({ areBlobsValid: false });
    await expect(invalid.send(withBlobs)).rejects.toMatchObject({ code: 'POOLED_BLOBS_INVALID' });
    expect(invalid.broadcasts).toEqual([]);
  });

  test('sends also if the state cannot be proven, but not after other errors', async () => {
    const failure = Object.assign(new Error('no state'), { code: 'UPSTREAM_STATE_PRUNED', details: {} });
    const unproven = stage({ readError: failure });
    await unproven.send(plain);
    expect(unproven.broadcasts).toHaveLength(1);
    const broken = stage({ readError: new Error('broken') });
    await expect(broken.send(plain)).rejects.toThrow('broken');
  });

  test('a network without upstreams returns -32601 with the text of geth', async () => {
    const { send, chain } = stage();
    Object.assign(chain, { upstreams: undefined });
    await expect(send(plain)).rejects.toMatchObject({
      rpcCode: -32601,
      message: expect.stringContaining(
        'the method eth_sendRawTransaction does not exist/is not available. The network main',
      ),
    });
  });
});

describe('ReceiptWait', () => {
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const hash: Hex = `0x${'ab'.repeat(32)}`;

  test('looks once at first and once for each head, and stops at its time limit with code 4 and the hash', async () => {
    const { context, state, listeners } = stage();
    const wait = new ReceiptWait(context, hash);
    const waiting = wait.receipt(2_000);
    waiting.catch(() => undefined);
    await until(() => state.reads === 1);
    for (const listener of listeners) listener();
    await expect(waiting).rejects.toMatchObject({
      rpcCode: 4,
      data: hash,
      message: "The transaction was added to the transaction pool but wasn't processed in 2s",
    });
    expect(state.reads).toBe(2);
    wait.end();
    expect(listeners.size).toBe(0);
  });

  test('upstreams that fail do not end the wait, and a client that disconnects does', async () => {
    const failure = Object.assign(new Error('away'), { code: 'UPSTREAMS_UNAVAILABLE', details: {} });
    const { context, state, abort } = stage({ readError: failure });
    const waiting = new ReceiptWait(context, hash).receipt(0);
    await until(() => state.reads === 1);
    abort.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
  });
});
