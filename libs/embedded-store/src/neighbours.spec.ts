import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Environment } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'cairn-neighbours-'));
let environment: Environment;

beforeAll(async () => {
  environment = await Environment.open({
    directory,
    format: { name: 'test', version: 1, seals: { except: ['plain'] } },
  });
});

afterAll(async () => {
  await environment.close();
  rmSync(directory, { recursive: true });
});

const key = fc.uint8Array({ minLength: 1, maxLength: 3, max: 3 });
const step = fc.record({
  kind: fc.constantFrom('put', 'remove', 'last'),
  key,
  low: fc.option(key, { nil: undefined }),
});

describe.each(['plain', 'sealed'])('the last record of a range, %s', (name) => {
  test('is that of a sorted list, in transactions and between them', async () => {
    const database = environment.database(name);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 6 }), async (transactions) => {
        const model = new Map<string, Uint8Array>();
        const lastOf = (low: Uint8Array | undefined, high: Uint8Array) =>
          [...model.keys()]
            .filter((one) => one < hex(high) && (low === undefined || one >= hex(low)))
            .sort()
            .at(-1);
        const expectLast = (low: Uint8Array | undefined, high: Uint8Array) => {
          const found = database.last({ end: high, ...(low && { start: low }) });
          expect(found && hex(found.key)).toBe(lastOf(low, high));
          if (found) expect(found.value).toEqual(model.get(hex(found.key)));
        };
        await environment.transaction(() => {
          for (const stored of [...database.keys()]) database.remove(stored);
        });
        for (const steps of transactions) {
          await environment.transaction(() => {
            for (const { kind, key, low } of steps) {
              if (kind === 'put') {
                database.put(key, Uint8Array.of(...key, model.size));
                model.set(hex(key), Uint8Array.of(...key, model.size));
              } else if (kind === 'remove') expect(database.remove(key)).toBe(model.delete(hex(key)));
              else expectLast(low, key);
            }
          });
          for (const { key, low } of steps) expectLast(low, key);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
