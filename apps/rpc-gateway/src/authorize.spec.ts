import type { KeyPolicy } from '@cairn/auth';
import { defineMethod } from '@cairn/jsonrpc-core';
import { describe, expect, test } from '@jest/globals';
import { authorizeTopic, requireRevealed } from './authorize.ts';
import { define } from './methods/define.ts';
import { describedMethods } from './methods/method-catalog.fixture.ts';
import { requireOpenTransaction } from './methods/open-account.ts';
import type { RequestContext } from './request-context.ts';
import { parseTopic } from './subscriptions/topic.ts';

const listed = `0x${'c0'.repeat(20)}` as const;
const other = `0x${'c1'.repeat(20)}` as const;
const policy: KeyPolicy = { contracts: [listed] };
const refusal = expect.objectContaining({ code: 'KEY_SCOPE_MISSING' });
const description = { name: 'own', summary: 'Own.', params: [], result: 'null.', handle: () => null };

describe('requireRevealed', () => {
  test('refuses a method without a declaration', () => {
    const undeclared = defineMethod<RequestContext>()(description);
    expect(() => requireRevealed(policy, undeclared, [])).toThrow(refusal);
    const declared = define({ ...description, reveals: 'nothing' });
    expect(() => requireRevealed(policy, declared, [])).not.toThrow();
  });

  test('define does not compile without a declaration', () => {
    // @ts-expect-error: `reveals` is missing.
    expect(() => define(description)).toThrow(TypeError);
  });

  test.each([
    ['code', { code: '0x00' }],
    ['state', { state: new Map() }],
    ['stateDiff', { stateDiff: new Map() }],
    ['movePrecompileToAddress', { movePrecompileToAddress: other }],
  ])('refuses an override of %s, even of a contract of the key', (_, override) => {
    const call = describedMethods().methods.find(({ name }) => name === 'eth_call');
    if (call === undefined) throw new Error('The catalog has no eth_call.');
    const params = (overrides: object) => [{ to: listed }, undefined, new Map([[listed, overrides]]), undefined];
    expect(() => requireRevealed(policy, call, params(override))).toThrow(refusal);
    expect(() => requireRevealed(policy, call, params({ balance: 1n, nonce: 1n }))).not.toThrow();
  });
});

describe('authorizeTopic', () => {
  const logs = (query: unknown) => parseTopic('logs', { value: query });

  test('refuses logs of contracts that the key no longer lists', () => {
    expect(() => authorizeTopic(policy, logs({ address: listed }))).not.toThrow();
    expect(() => authorizeTopic(policy, logs({ address: other }))).toThrow(refusal);
    expect(() => authorizeTopic(policy, logs({}))).toThrow(refusal);
    expect(() => authorizeTopic(policy, parseTopic('transactionReceipts', { value: undefined }))).toThrow(refusal);
  });

  test('refuses all events if the key no longer allows eth_subscribe', () => {
    expect(() => authorizeTopic({ methods: ['eth_call'] }, { kind: 'newHeads' })).toThrow(refusal);
    expect(() => authorizeTopic({}, { kind: 'transactionReceipts', hashes: new Set() })).not.toThrow();
  });
});

describe('requireOpenTransaction', () => {
  const log = (address: typeof listed | typeof other) => ({ address, topics: [], data: '0x' as const });
  const receipt = (...logs: ReturnType<typeof log>[]) => ({ logs });

  test('refuses a transaction to another contract, and a contract creation', () => {
    expect(() => requireOpenTransaction(policy, { to: listed })).not.toThrow();
    expect(() => requireOpenTransaction(policy, { to: other })).toThrow(refusal);
    expect(() => requireOpenTransaction(policy, { to: null })).toThrow(refusal);
    expect(() => requireOpenTransaction({}, { to: null })).not.toThrow();
  });

  test('does not name the contract of a refused transaction', () => {
    expect(() => requireOpenTransaction(policy, { to: other })).not.toThrow(other);
    expect(() => requireOpenTransaction(policy, { to: listed }, receipt(log(other)))).not.toThrow(other);
  });

  test('refuses a receipt with a log of another contract', () => {
    expect(() => requireOpenTransaction(policy, { to: listed }, receipt(log(listed)))).not.toThrow();
    expect(() => requireOpenTransaction(policy, { to: listed }, receipt(log(listed), log(other)))).toThrow(refusal);
  });
});
