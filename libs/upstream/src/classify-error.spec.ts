import { describe, expect, test } from '@jest/globals';
import { failureOfRpcError, failureOfStatus, kindOfRpcError } from './classify-error.ts';
import { createRedactor } from './redact.ts';

describe('kindOfRpcError', () => {
  test.each([
    // geth
    [-32000, 'missing trie node 0a1b (path ff) state 0x12 is not available', 'pruned'],
    [-32000, 'historical state 0x12 is not available', 'pruned'],
    [-32000, 'header not found', 'stale'],
    [-32601, 'the method trace_block does not exist/is not available', 'unsupported'],
    [-32600, 'batch too large', 'batch'],
    [-32000, 'execution aborted (timeout = 5s)', 'failed'],
    [-32000, 'nonce too low: next nonce 5, tx nonce 4', 'refused'],
    [3, 'execution reverted: the archive is pruned', 'refused'],
    // Erigon, Nethermind, Besu, Reth
    [-32000, 'requested block is too old, block must be within 100000 blocks of the head block number', 'pruned'],
    [-32002, 'No state available for block 0x12', 'pruned'],
    [-32000, 'World state unavailable', 'pruned'],
    [-32000, 'distance to target block exceeds maximum proof window', 'pruned'],
    [-32001, 'block not found: 0x12', 'stale'],
    // Providers
    [-32005, 'daily request count exceeded, request rate limited', 'limited'],
    [429, 'Your app has exceeded its compute units per second capacity', 'limited'],
    [-32004, 'This method is not supported', 'unsupported'],
    [-32000, 'request requires an archive node', 'pruned'],
    [-32603, 'Internal error', 'failed'],
    [-32602, 'invalid argument 0: hex string has length 3', 'refused'],
  ] as const)('%i "%s" is %s', (code, message, kind) => {
    expect(kindOfRpcError({ code, message })).toBe(kind);
  });

  test.each([[null], [{}], [{ code: 'x', message: { a: 1 } }]])('takes the malformed error %j', (error) => {
    expect(failureOfRpcError(error ?? {}, createRedactor(new URL('http://node')))).toMatchObject({ rpcCode: -32603 });
  });
});

describe('failureOfStatus', () => {
  test.each([
    [429, undefined, 'limited', undefined],
    [429, '3', 'limited', 3000],
    [503, '3', 'limited', 3000],
    [503, undefined, 'failed', undefined],
    [429, 'Sun, 22 Nov 2026 10:00:05 GMT', 'limited', 5000],
    [429, 'soon', 'limited', undefined],
    [401, undefined, 'failed', undefined],
  ])('status %i with Retry-After %p is %s', (status, retryAfter, kind, retryAfterMs) => {
    const now = Date.parse('Sun, 22 Nov 2026 10:00:00 GMT');
    expect(failureOfStatus(status, retryAfter, now)).toMatchObject({ kind, retryAfterMs });
  });
});
