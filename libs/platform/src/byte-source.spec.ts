import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { assertBytes, type ByteSource, chunksOfSource } from './index.ts';

async function bytesOf(source: ByteSource): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOfSource(source)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
const encode = (text: string) => new TextEncoder().encode(text);
async function* streamed(...chunks: readonly unknown[]) {
  yield* chunks as Uint8Array[];
}
const refused = (parameter: string, got: string) =>
  expect.objectContaining({
    code: 'BYTES_INVALID',
    message: expect.stringContaining(`${parameter}: expected`),
    details: { parameter, got },
  });

describe('chunksOfSource', () => {
  test.each<[string, () => ByteSource]>([
    ['a Uint8Array', () => encode('hello')],
    ['a Buffer', () => Buffer.from('hello')],
    ['a view into a longer buffer', () => encode('ohellos').subarray(1, 6)],
    ['a Uint8Array of another realm', () => runInNewContext('Uint8Array.of(104, 101, 108, 108, 111)') as Uint8Array],
    ['an ArrayBuffer', () => encode('hello').buffer as ArrayBuffer],
    [
      'an ArrayBuffer of another realm',
      () => runInNewContext('Uint8Array.of(104, 101, 108, 108, 111).buffer') as ArrayBuffer,
    ],
    ['a Blob', () => new Blob(['he', 'llo'])],
    ['a ReadableStream', () => new Blob(['hello']).stream() as ReadableStream<Uint8Array>],
    ['a body of fetch', () => new Response('hello').body as ReadableStream<Uint8Array>],
    ['a Node stream', () => Readable.from([Buffer.from('hel'), Buffer.from('lo')])],
    ['an async iterable', () => streamed(encode('he'), encode('llo'))],
    ['a list of chunks', () => [encode('he'), encode('llo')]],
  ])('accepts %s', async (_, source) => {
    expect(await bytesOf(source())).toBe('hello');
  });

  test.each<[string, () => ByteSource]>([
    ['an empty Uint8Array', () => new Uint8Array(0)],
    ['an empty Blob', () => new Blob([])],
    ['an empty list', () => []],
  ])('yields no chunk for %s', async (_, source) => {
    expect(await bytesOf(source())).toBe('');
  });

  test.each<[string, unknown, string]>([
    ['text', 'hello', 'a string of 5 characters'],
    ['a number', 5, 'a number'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a function', () => {}, 'a function'],
    ['a promise of bytes', Promise.resolve(encode('hello')), 'an object (Promise)'],
    ['a view of other elements', new Uint16Array(2), 'an object (Uint16Array)'],
    ['a DataView', new DataView(new ArrayBuffer(2)), 'an object (DataView)'],
    ['a plain object', { 0: 1 }, 'an object (Object)'],
    ['an object without a prototype', Object.create(null), 'an object (Object)'],
  ])('refuses %s in the call and names the parameter', (_, source, got) => {
    expect(() => chunksOfSource(source as ByteSource, 'content')).toThrow(refused('content', got));
  });

  test.each<[string, unknown, string]>([
    ['numbers', [1, 2, 3], 'a number'],
    ['texts', ['hello'], 'a string of 5 characters'],
    ['a stream of texts', streamed('hello'), 'a string of 5 characters'],
    ['a Node stream with an encoding', Readable.from(['hello']), 'a string of 5 characters'],
  ])('refuses %s at the first chunk', async (_, source, got) => {
    await expect(bytesOf(source as ByteSource)).rejects.toThrow(refused('source, chunk 0', got));
  });

  test('the hint of an error depends on the given type', () => {
    const hintOf = (source: unknown) => {
      try {
        chunksOfSource(source as ByteSource);
      } catch (error) {
        return (error as { hint: string }).hint;
      }
      return '';
    };
    expect(hintOf('text')).toContain('new TextEncoder().encode(text)');
    expect(hintOf(Promise.resolve())).toContain('Await');
    expect(hintOf(new Float64Array(1))).toContain('view.byteOffset');
    expect(hintOf(7)).toContain('Uint8Array');
  });

  test('a consumer that stops early ends the source and cancels a stream', async () => {
    let ended = 0;
    async function* endless() {
      try {
        for (;;) yield encode('x');
      } finally {
        ended++;
      }
    }
    let reason: unknown = 'not cancelled';
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encode('x')),
      cancel: (given) => {
        reason = given;
      },
    });
    for (const source of [endless(), stream]) for await (const _ of chunksOfSource(source)) break;
    expect(ended).toBe(1);
    expect(reason).toBeUndefined();
  });

  test('a chunk of another type ends the source', async () => {
    let isEnded = false;
    async function* mixed() {
      try {
        yield encode('x');
        yield 'y' as unknown as Uint8Array;
      } finally {
        isEnded = true;
      }
    }
    await expect(bytesOf(mixed())).rejects.toThrow(refused('source, chunk 1', 'a string of 1 characters'));
    expect(isEnded).toBe(true);
  });

  test('an error of the source passes through', async () => {
    const fault = new Error('connection lost');
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield encode('x');
      throw fault;
    }
    await expect(bytesOf(broken())).rejects.toBe(fault);
  });

  test('the type accepts every valid source and rejects text and numbers', () => {
    expectTypeOf<Uint8Array>().toExtend<ByteSource>();
    expectTypeOf<Buffer>().toExtend<ByteSource>();
    expectTypeOf<ArrayBuffer>().toExtend<ByteSource>();
    expectTypeOf<Blob>().toExtend<ByteSource>();
    expectTypeOf<ReadableStream<Uint8Array>>().toExtend<ByteSource>();
    expectTypeOf<Uint8Array[]>().toExtend<ByteSource>();
    expectTypeOf<AsyncGenerator<Uint8Array>>().toExtend<ByteSource>();
    expectTypeOf<string>().not.toExtend<ByteSource>();
    expectTypeOf<number[]>().not.toExtend<ByteSource>();
    expectTypeOf<Promise<Uint8Array>>().not.toExtend<ByteSource>();
    expectTypeOf<AsyncIterable<string>>().not.toExtend<ByteSource>();
    expectTypeOf<Uint16Array>().not.toExtend<ByteSource>();
  });
});

describe('assertBytes', () => {
  test('refuses text and names the parameter', () => {
    expect(() => assertBytes('hello', 'bytes')).toThrow(refused('bytes', 'a string of 5 characters'));
    expect(() => assertBytes(Buffer.from('hello'), 'bytes')).not.toThrow();
  });
});
