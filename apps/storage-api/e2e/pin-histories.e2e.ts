import { Auth } from '@cairn/auth';
import { PinNotFoundError, QuotaExceededError } from '@cairn/pinning';
import {
  cidOfRoot,
  type HistoryStore,
  isLinearizable,
  type PinCall,
  type RecordedCall,
  recordHistory,
} from '@cairn/pinning/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { engineProgram, howToEnableEngine } from '../../../tools/engines/index.mjs';
import { type Engines, startEngines } from './engines.ts';
import { Random } from './reference-model.ts';
import { basic, Service } from './service.ts';

// Histories of concurrent requests to three processes, checked by the model that also checks the stores of pins.
const runs = 6;
const clientsOfRun = 4;
const callsOfClient = 4;
const quotaBytes = 25;
/** Lengths of the roots of a run. The quota has room for two of three. */
const lengths = [5, 10, 12];
const missing = (['postgres', 'redis', 's3'] as const).filter((name) => engineProgram(name) === undefined);
for (const name of missing) console.log(howToEnableEngine(name));
const testWithEngines = missing.length > 0 ? test.skip : test;

let engines: Engines | undefined;
let service: Service | undefined;
beforeAll(async () => {
  if (missing.length > 0) return;
  engines = await startEngines();
  service = new Service({ engines });
  await service.makeAccounts();
  await service.start();
});
afterAll(async () => {
  await service?.remove();
  await engines?.stop();
});

/** Pins of accounts as clients of one process see them. */
class HttpPins implements HistoryStore {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  put: HistoryStore['put'] = async (account, pins) => {
    for (const { cid } of pins) await this.#call(account, `pin/add?arg=${cid}`);
  };

  remove: HistoryStore['remove'] = async (account, cids) => {
    for (const cid of cids) await this.#call(account, `pin/rm?arg=${cid}`);
  };

  usage: HistoryStore['usage'] = async (account) => {
    const { NumObjects, RepoSize } = JSON.parse(await this.#call(account, 'repo/stat'));
    return { pins: NumObjects, blocks: NumObjects, bytes: RepoSize };
  };

  putKnownRoot: HistoryStore['putKnownRoot'] = () => Promise.reject(new Error('no such request'));
  isPinned: HistoryStore['isPinned'] = () => Promise.reject(new Error('no such request'));

  async #call(account: string, path: string): Promise<string> {
    const headers = { authorization: basic(account) };
    const answer = await fetch(`${this.#url}/api/v0/${path}`, { method: 'POST', headers });
    const text = await answer.text();
    if (answer.status === 403 && text.includes('quota')) throw new QuotaExceededError(0, 0, quotaBytes);
    if (answer.status === 500 && text.includes('not pinned')) throw new PinNotFoundError(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  }
}

function callsOf(random: Random, account: string, roots: readonly string[]): PinCall[] {
  return Array.from({ length: callsOfClient }, (): PinCall => {
    const root = random.pick(roots);
    const kind = random.pick(['put', 'put', 'remove', 'usage'] as const);
    if (kind === 'usage') return { kind, account };
    if (kind === 'remove') return { kind, account, roots: [root] };
    return { kind, account, root, bytes: root.length, bytesMax: quotaBytes };
  });
}

/** Places events after those of an earlier history. */
function after(end: number, history: readonly RecordedCall[]): RecordedCall[] {
  return history.map((each) => ({ ...each, from: each.from + end, to: each.to + end }));
}

/** Creates accounts with the quota. The key of each has its name. */
async function makeAccounts(running: Service, names: readonly string[]): Promise<void> {
  const auth = new Auth({ store: await (await running.stores()).accounts() });
  for (const name of names) {
    await auth.createAccount({ name, plan: 'local' });
    await auth.attachCard(name, { brand: 'visa', last4: '4242' });
    await auth.setQuota(name, quotaBytes);
    await auth.createKey(name, { id: name, secret: `secret-of-${name}` });
  }
  await auth.close();
}

testWithEngines(
  'concurrent pins, removals and quotas of three processes have results that some order explains',
  async () => {
    if (!service) throw new Error('the service does not run');
    const stores = service.processes.map(({ url }) => new HttpPins(url));
    const accounts = Array.from({ length: runs }, (_, run) => `history${run}`);
    await makeAccounts(service, accounts);
    const seed = Date.now() % 1_000_000;
    const random = new Random(seed);
    for (const account of accounts) {
      const roots = lengths.map((length, n) => `${accounts.indexOf(account)}${'abc'[n]}`.padEnd(length, '.'));
      // Another account keeps the blocks, so that each pin finds them.
      for (const root of roots) expect((await service.add(root, '?cid-version=1'))[0]?.Hash).toBe(`${cidOfRoot(root)}`);
      const clients = Array.from({ length: clientsOfRun }, () => callsOf(random, account, roots));
      const history = await recordHistory(stores, clients);
      const end = 100;
      // The quota has no room for all roots, so one of these is refused. Then each process returns the same usage.
      const all = roots.map(
        (root): PinCall => ({ kind: 'put', account, root, bytes: root.length, bytesMax: quotaBytes }),
      );
      const usage: PinCall = { kind: 'usage', account };
      const filled = after(end, await recordHistory(stores, [all]));
      const last = after(
        2 * end,
        await recordHistory(
          stores,
          stores.map(() => [usage]),
        ),
      );
      const whole = [...history, ...filled, ...last];
      expect({ seed, whole, isLinearizable: isLinearizable(whole) }).toMatchObject({ isLinearizable: true });
      expect(filled.map(({ result }) => result)).toContain('QUOTA_EXCEEDED');
      // The model rejects the same history with a pin that no process returned.
      const wrong = { call: usage, result: '4 1000', from: 3 * end, to: 3 * end + 1 };
      expect(isLinearizable([...whole, wrong])).toBe(false);
    }
  },
);
