import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { FieldFault, type FormValue, fieldOf, type Method, type OpenRpc, paramsOf } from './open-rpc.ts';

const file = new URL('../../../../../rpc-gateway/openrpc.json', import.meta.url);
const document = JSON.parse(readFileSync(file, 'utf8')) as OpenRpc;

function method(name: string): Method {
  const found = document.methods.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no method ${name}.`);
  return found;
}

const params = (name: string, values: Record<string, FormValue>) => paramsOf(method(name), values, document);
const address = `0x${'12'.repeat(20)}`;
const hash = `0x${'ab'.repeat(32)}`;

describe('forms from OpenRPC', () => {
  test('every parameter of every method has a field', () => {
    expect(document.methods.length).toBeGreaterThan(80);
    for (const { params: list } of document.methods)
      for (const { schema } of list)
        expect(fieldOf(schema, document).kind).toMatch(/^(flag|choice|text|number|fields|json)$/);
  });

  test('parameters are in order, absent ones at the end are left out', () => {
    expect(params('eth_getBlockByHash', { hash })).toEqual([hash, false]);
    expect(params('eth_getBalance', { address, block: '' })).toEqual([address]);
    expect(params('eth_call', { call: { to: address, data: '' }, blockOverrides: '{"number":"0x1"}' })).toEqual([
      { to: address },
      null,
      null,
      { number: '0x1' },
    ]);
    expect(params('debug_traceTransaction', { hash, config: { tracer: 'callTracer' } })).toEqual([
      hash,
      { tracer: 'callTracer' },
    ]);
  });

  test('a block is a tag, a number, a hash or an object', () => {
    expect(params('eth_getBalance', { address, block: 'latest' })).toEqual([address, 'latest']);
    expect(params('eth_getBalance', { address, block: `{"blockHash":"${hash}"}` })).toEqual([
      address,
      { blockHash: hash },
    ]);
  });

  test('a fault names its field and the expected form', () => {
    const fault = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return error instanceof FieldFault ? `${error.field}: ${error.message}` : 'other';
      }
      return 'none';
    };
    expect(fault(() => params('eth_getBalance', {}))).toBe('address: This parameter is required.');
    expect(fault(() => params('eth_getBalance', { address: '0x12' }))).toBe(
      'address: Expected "0x" and 40 hexadecimal digits.',
    );
    expect(fault(() => params('eth_call', { call: { to: 'me' } }))).toContain('call.to: Expected');
    expect(fault(() => params('eth_call', { call: { to: address }, stateOverrides: '{' }))).toBe(
      'stateOverrides: Expected JSON.',
    );
  });
});
