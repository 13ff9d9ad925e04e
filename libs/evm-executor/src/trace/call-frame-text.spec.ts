import type { Hex, Json } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { callFrameText } from './call-frame-text.ts';
import type { CallFrame, FrameLog } from './call-frames.ts';
import { frameFieldsToJson } from './call-tracer.ts';

const hex = (bytes: { minLength?: number; maxLength: number }): fc.Arbitrary<Hex> =>
  fc.uint8Array(bytes).map((each) => `0x${Buffer.from(each).toString('hex')}` as const);
const address = hex({ minLength: 20, maxLength: 20 });
const amount = fc.bigInt(0n, 2n ** 256n - 1n);
const text = fc.string({ unit: 'binary' });

const log: fc.Arbitrary<FrameLog> = fc.record({
  address,
  topics: fc.array(hex({ minLength: 32, maxLength: 32 }), { maxLength: 4 }),
  data: hex({ maxLength: 40 }),
  index: fc.nat(),
  position: fc.nat(9),
});

const { frame } = fc.letrec<{ frame: CallFrame }>((tie) => ({
  frame: fc.record({
    kind: fc.constantFrom('CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'),
    from: address,
    to: fc.option(address, { nil: undefined }),
    value: fc.option(amount, { nil: undefined }),
    gas: amount,
    gasUsed: amount,
    input: hex({ maxLength: 40 }),
    output: hex({ maxLength: 40 }),
    error: fc.option(text, { nil: undefined }),
    revertReason: fc.option(text, { nil: undefined }),
    calls: fc.oneof({ maxDepth: 3 }, fc.constant<CallFrame[]>([]), fc.array(tie('frame'), { maxLength: 2 })),
    logs: fc.array(log, { maxLength: 3 }),
  }),
}));

function plain(each: CallFrame): Json {
  const { calls, kind } = each;
  return { ...frameFieldsToJson(each), ...(calls.length > 0 && { calls: calls.map(plain) }), type: kind };
}

test('callFrameText equals the JSON of the plain form', () => {
  fc.assert(
    fc.property(frame, (each) => {
      expect(callFrameText(each)).toBe(JSON.stringify(plain(each)));
    }),
  );
});
