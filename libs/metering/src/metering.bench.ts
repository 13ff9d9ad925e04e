// Cost per request of limits and usage, with the stores on disk. Run with `npm run bench`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { openLmdbMeteringStores, startMetering } from './index.ts';

const requestsPerRound = 200_000;
const rounds = 7;

/** Prints microseconds per request, fastest and slowest round. The first round warms up and is not counted. */
async function measure(name: string, request: () => Promise<void> | undefined): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    for (let count = 0; count < requestsPerRound; count++) {
      const waiting = request();
      if (waiting !== undefined) await waiting;
    }
    if (round > 0) times.push(((performance.now() - start) * 1000) / requestsPerRound);
    // Lets timers flush the ledger between rounds.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const shown = [Math.min(...times), Math.max(...times)].map((time) => time.toFixed(3));
  process.stdout.write(`${name.padEnd(28)} ${shown.join(' to ')} µs\n`);
}

test('microseconds per request', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-metering-bench-'));
  const stores = await openLmdbMeteringStores({ accounts: join(home, 'accounts'), limits: join(home, 'limits') });
  const metering = await startMetering({ ...stores, service: 'bench' });
  const limits = metering.limiter.of({ id: 'acc_1', plan: 'local' });
  const owner = { accountId: 'acc_1', key: 'key_1' };
  const call = { operation: 'eth_chainId', network: 'main', outcome: 'ok', credits: 1, durationMs: 0.02 } as const;
  await measure('limits', () => {
    const waiting = limits.enter() ?? limits.admit(1);
    limits.leave();
    return waiting;
  });
  await measure('ledger', () => {
    metering.ledger.record(owner, call);
    metering.ledger.addUse(owner, { operation: 'eth_chainId', network: 'main', bytesIn: 60, bytesOut: 45 });
    return undefined;
  });
  await measure('request log', () => {
    metering.requests.record(owner.accountId, {
      ...{ operation: call.operation, network: call.network, outcome: call.outcome, credits: 1, durationMs: 0.02 },
      ...{ key: owner.key, requestId: 'f7b7c1c4-9b6a-4a8e-8d0a-000000000000' },
    });
    return undefined;
  });
  await metering.close();
  rmSync(home, { recursive: true });
}, 120_000);
