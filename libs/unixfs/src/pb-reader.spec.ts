import { cidFor } from '@cairn/cid';
import * as dagPb from '@ipld/dag-pb';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodePbNode, encodePbNode } from './dag-pb.ts';

const cid = fc
  .record({ bytes: fc.uint8Array({ maxLength: 4 }), form: fc.constantFrom('v0', 'raw', 'identity', 'sha2-512') })
  .map(({ bytes, form }) =>
    form === 'v0'
      ? cidFor(bytes, { codec: 'dag-pb', version: 0 })
      : cidFor(bytes, { codec: 'raw', hash: form === 'raw' ? 'sha2-256' : form }),
  );
const link = fc.record({ cid, name: fc.string({ unit: 'grapheme' }), tsize: fc.maxSafeNat() });
const node = fc.record({ links: fc.array(link), data: fc.option(fc.uint8Array(), { nil: undefined }) });

/** Decodes with the reference codec. Returns nothing if the codec refuses the bytes. */
function reference(bytes: Uint8Array) {
  try {
    const { Links, Data } = dagPb.decode(bytes);
    if (Links.some(({ Tsize = 0 }) => Tsize > Number.MAX_SAFE_INTEGER)) return undefined;
    return {
      links: Links.map(({ Hash, Name = '', Tsize = 0 }) => [Hash.toString(), Name, Tsize]),
      data: Data && Buffer.from(Data).toString('hex'),
    };
  } catch {
    return undefined;
  }
}

function ours(bytes: Uint8Array) {
  try {
    const { links, data } = decodePbNode(bytes);
    return {
      links: links.map(({ cid, name, tsize }) => [cid.toString(), name, tsize]),
      data: data && Buffer.from(data).toString('hex'),
    };
  } catch {
    return undefined;
  }
}

describe('decodePbNode', () => {
  test('decodes the same nodes as the reference codec', () => {
    fc.assert(
      fc.property(node, (value) => {
        const bytes = encodePbNode(value);
        expect(ours(bytes)).toEqual(reference(bytes));
      }),
    );
  });

  test('refuses the damaged blocks that the reference codec refuses', () => {
    fc.assert(
      fc.property(node, fc.nat(), fc.nat(255), fc.boolean(), (value, place, byte, isCut) => {
        const whole = encodePbNode(value);
        const at = whole.length === 0 ? 0 : place % whole.length;
        const bytes = isCut ? whole.subarray(0, at) : Uint8Array.from(whole, (old, i) => (i === at ? byte : old));
        // The reference codec drops a byte order mark at the start of a name.
        fc.pre(!Buffer.from(bytes).includes(Buffer.of(0xef, 0xbb, 0xbf)));
        expect([Buffer.from(bytes).toString('hex'), ours(bytes)]).toEqual([
          Buffer.from(bytes).toString('hex'),
          reference(bytes),
        ]);
      }),
      { numRuns: 3000 },
    );
  });

  test('refuses fields in the wrong order, as go-codec-dagpb does', () => {
    const hash = '0a0401550000';
    for (const hex of [
      `1208${hash}`,
      `12080a0401550000`,
      `1209${hash}12000a`,
      `12081200${hash}`,
      `120818000a0401550000`,
    ])
      expect([hex, ours(Buffer.from(hex, 'hex'))]).toEqual([hex, reference(Buffer.from(hex, 'hex'))]);
    const between = Buffer.from(`1206${hash}0a001206${hash}`, 'hex');
    expect([ours(between), reference(between)]).toEqual([undefined, undefined]);
  });

  test('fails at the first malformed link', () => {
    const bytes = Buffer.alloc(2_000_000, Buffer.from('1200', 'hex'));
    expect(() => decodePbNode(bytes)).toThrow('a link has no CID');
  });

  test('keeps a byte order mark of a name', () => {
    const name = '\ufeffname';
    const bytes = encodePbNode({
      links: [{ cid: cidFor(Buffer.of(1), { codec: 'raw' }), name, tsize: 1 }],
      data: undefined,
    });
    expect(decodePbNode(bytes).links[0]?.name).toBe(name);
  });
});
