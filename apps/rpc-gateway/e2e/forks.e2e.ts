import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, type Gateway, key, repository, startGateway } from './gateway.ts';

// One network per fork, which is active from genesis on. @ethereumjs/vm executed the blocks when the networks were generated.
interface Expected {
  readonly alice: string;
  readonly bob: string;
  readonly storage: string;
  readonly forwarder: string;
  readonly blocks: readonly {
    readonly hash: string;
    readonly transactions: readonly {
      readonly hash: string;
      readonly type: number;
      readonly gasUsed: string;
      readonly logs: number;
      readonly hasFailed: boolean;
    }[];
  }[];
}
type Json = Readonly<Record<string, unknown>>;

const directory = mkdtempSync(join(tmpdir(), 'cairn-forks-'));
execFileSync(process.execPath, [join(repository, 'tools', 'sample-network', 'forks.mjs'), directory]);
const names = readdirSync(directory);
const typesSince = { berlin: 1, london: 2, cancun: 3, prague: 4 } as const;

let gateway: Gateway;
beforeAll(async () => {
  const networks = names.map((name) => ({
    name,
    hosts: [`${name.toLowerCase()}.example`],
    genesis: join(directory, name, 'genesis.json'),
    blocks: [join(directory, name, 'chain.rlp')],
    requireFrom: false,
  }));
  gateway = await startGateway({ networks });
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(directory, { recursive: true });
});

test('every fork has a network with its transaction types', () => {
  expect(names.length).toBe(16);
  for (const [fork, type] of Object.entries(typesSince)) {
    const types = expectedOf(fork).blocks.flatMap(({ transactions }) => transactions.map((each) => each.type));
    expect(Math.max(...types)).toBe(type);
  }
});

describe.each(names)('%s', (name) => {
  const expected = expectedOf(name);
  const ask = <T = Json>(method: string, ...params: readonly unknown[]) => result<T>(name, method, params);

  test('returns blocks, transactions and receipts of every type', async () => {
    for (const { hash, transactions } of expected.blocks) {
      const block = await ask('eth_getBlockByHash', hash, true);
      expect(block.transactions).toMatchObject(
        transactions.map(({ hash: of, type }) => ({ hash: of, type: hex(type) })),
      );
      const receipts = await ask<readonly Json[]>('eth_getBlockReceipts', hash);
      for (const [at, { hash: of, type, gasUsed, logs, hasFailed }] of transactions.entries()) {
        const receipt = receipts[at] as Json & { readonly logs: readonly unknown[] };
        expect(receipt).toMatchObject({ transactionHash: of, type: hex(type), gasUsed: hex(BigInt(gasUsed)) });
        // Before EIP-658, a receipt has a state root rather than a status.
        if ('status' in receipt) expect(receipt.status).toBe(hasFailed ? '0x0' : '0x1');
        else expect(receipt.root).toMatch(/^0x[0-9a-f]{64}$/);
        expect(receipt.logs.length).toBe(hasFailed ? 0 : logs);
        expect(await ask('eth_getTransactionByHash', of)).toMatchObject({ blockHash: hash, hash: of });
        expect(await ask('eth_getTransactionReceipt', of)).toEqual(receipt);
      }
    }
  });

  test('re-executed transactions use the gas of their receipts', async () => {
    for (const { hash, transactions } of expected.blocks) {
      const traces = await ask<readonly { txHash: string; result: Json }[]>('debug_traceBlockByHash', hash, {
        tracer: 'callTracer',
      });
      expect(traces.map(({ txHash, result: { gasUsed } }) => [txHash, gasUsed])).toEqual(
        transactions.map(({ hash: of, gasUsed }) => [of, hex(BigInt(gasUsed))]),
      );
    }
  });

  test('executes calls and estimates, and returns proofs, at every block', async () => {
    const { alice, storage, forwarder } = expected;
    const data = `0x${word(1)}${word(7)}`;
    for (let number = 1; number <= expected.blocks.length; number++) {
      const at = hex(number);
      expect(await ask('eth_call', { from: alice, to: storage, data }, at)).toBe(`0x${word(7)}`);
      expect(await ask('eth_call', { from: alice, to: forwarder, data }, at)).toBe(`0x${word(7)}`);
      const gas = await ask<string>('eth_estimateGas', { from: alice, to: storage, data }, at);
      expect(Number(gas)).toBeGreaterThan(21_000);
      const { storageProof } = await ask<{ storageProof: readonly Json[] }>('eth_getProof', storage, [hex(1)], at);
      expect(BigInt(String(storageProof[0]?.value))).toBe(
        BigInt(await ask<string>('eth_getStorageAt', storage, hex(1), at)),
      );
    }
    const history = await ask<{ gasUsedRatio: readonly number[] }>('eth_feeHistory', hex(8), 'latest', [50]);
    expect(history.gasUsedRatio.length).toBe(expected.blocks.length + 1);
  });

  test('returns logs by address and topic', async () => {
    const found = await ask<readonly Json[]>('eth_getLogs', {
      fromBlock: '0x0',
      address: expected.storage,
      topics: [`0x${word(7)}`],
    });
    const all = expected.blocks.flatMap(({ transactions }) => transactions).filter(({ hasFailed }) => !hasFailed);
    const byStorage = all.reduce((sum, { logs, type }) => sum + (type === 4 ? 0 : logs), 0);
    expect(found.length).toBe(byStorage);
  });
});

function expectedOf(name: string): Expected {
  return JSON.parse(readFileSync(join(directory, name, 'expected.json'), 'utf8'));
}

const hex = (number: number | bigint) => `0x${number.toString(16)}`;
const word = (number: number) => number.toString(16).padStart(64, '0');

/** Sends a request with a chosen Host header, which `fetch` does not allow. */
function result<T>(network: string, method: string, params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: gateway.port,
        path: `/v3/${key}`,
        method: 'POST',
        headers: {
          host: `${network.toLowerCase()}.example`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          const answer: Answer = JSON.parse(text);
          if (answer.error) reject(new Error(`${method}: ${answer.error.message}`));
          else resolve(answer.result as T);
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
