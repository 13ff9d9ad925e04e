import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCompiledEngine, defaultEngineName } from './compiled-engine-portable.ts';
import * as node from './native-node.ts';
import * as portable from './native-portable.ts';

test('portable and native functions have the same results', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect([...portable.sha256(bytes)]).toEqual([...node.sha256(bytes)]);
      const word = bytes.subarray(0, 32);
      expect(portable.mapKeyFromBytes(word)).toBe(node.mapKeyFromBytes(word));
    }),
  );
});

test('without the compiler, the interpreter is the default and the compiled engine is refused', () => {
  expect(defaultEngineName).toBe('interpreter');
  expect(() => createCompiledEngine({ name: 'none', run: () => Promise.reject(new Error('No engine runs.')) })).toThrow(
    expect.objectContaining({ code: 'ENGINE_UNAVAILABLE', details: { engine: 'compiled' } }),
  );
});
