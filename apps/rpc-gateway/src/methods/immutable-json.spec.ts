import { expect, test } from '@jest/globals';
import type { ProofLevel } from '../request-meter.ts';
import { immutableJson } from './immutable-json.ts';

type Context = Parameters<typeof immutableJson>[0];

function contextOf(proofs: ProofLevel[]): Context {
  const meter = { proofs, recordProof: (level: ProofLevel) => void proofs.push(level) };
  return { chain: { network: { name: 'attested' } }, meter } as unknown as Context;
}

test('immutableJson states the agreement of upstreams again when the data comes from the cache', () => {
  immutableJson(contextOf(['quorum']), 'block/0x1', () => ({ number: 1 }));
  const later: ProofLevel[] = [];
  const json = immutableJson(contextOf(later), 'block/0x1', () => undefined);
  expect([json?.json, later]).toEqual(['{"number":1}', ['quorum']]);
});

test('immutableJson states nothing for proven data, and does not cache absent data', () => {
  const proofs: ProofLevel[] = [];
  expect(immutableJson(contextOf(proofs), 'block/0x2', () => undefined)).toBeNull();
  immutableJson(contextOf(proofs), 'block/0x2', () => ({ number: 2 }));
  expect(immutableJson(contextOf(proofs), 'block/0x2', () => undefined)?.json).toBe('{"number":2}');
  expect(proofs).toEqual([]);
});
