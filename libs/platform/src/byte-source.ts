import { InvalidBytesError } from './errors.ts';

/**
 * Bytes in any form. In one piece: `Uint8Array` (and so Node's `Buffer`), `ArrayBuffer`, `Blob` (and so `File`). In chunks: a
 * `ReadableStream`, an iterable or an async iterable of `Uint8Array`.
 */
export type ByteSource =
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>;

const expectedSource = 'bytes or a stream of bytes';

/** Reports whether a value is a `Uint8Array`, including one of another realm, such as an iframe. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || (ArrayBuffer.isView(value) && tagOf(value) === 'Uint8Array');
}

/**
 * Returns the chunks of a source of bytes and checks the type of each.
 * @param parameter names the source in errors
 * @throws BYTES_INVALID in the call for a value that is not a source; from the iteration for a chunk that is not a `Uint8Array`
 */
export function chunksOfSource(source: ByteSource, parameter = 'source'): AsyncIterable<Uint8Array> {
  const given: unknown = source;
  if (given instanceof CheckedChunks) return given;
  if (isBytes(given)) return singleChunk(given);
  if (typeof given !== 'object' || given === null || ArrayBuffer.isView(given)) throw invalidSource(parameter, given);
  if (given instanceof ArrayBuffer || tagOf(given) === 'ArrayBuffer')
    return singleChunk(new Uint8Array(given as ArrayBuffer));
  // Tested before iterators: a stream has no iterator in some browsers, and a blob never has one.
  if (isBlob(given)) return new CheckedChunks(() => readerOf(given.stream()), parameter);
  if (isStream(given)) return new CheckedChunks(() => readerOf(given), parameter);
  if (Symbol.asyncIterator in given) {
    const chunks = given as AsyncIterable<unknown>;
    return new CheckedChunks(() => chunks[Symbol.asyncIterator](), parameter);
  }
  if (Symbol.iterator in given) {
    const chunks = given as Iterable<unknown>;
    return new CheckedChunks(() => chunks[Symbol.iterator](), parameter);
  }
  throw invalidSource(parameter, given);
}

/** @throws BYTES_INVALID for a value that is not a `Uint8Array` */
export function assertBytes(value: unknown, parameter: string): asserts value is Uint8Array {
  if (!isBytes(value)) throw new InvalidBytesError(parameter, 'a Uint8Array', describe(value), hintFor(value));
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

type AnyIterator = AsyncIterator<unknown> | Iterator<unknown>;
type Checked = IteratorResult<Uint8Array, undefined>;

/** An iterable that checks each chunk. Not a generator, for speed: every chunk of an upload passes through. */
class CheckedChunks implements AsyncIterable<Uint8Array> {
  readonly #open: () => AnyIterator;
  readonly #parameter: string;

  constructor(open: () => AnyIterator, parameter: string) {
    this.#open = open;
    this.#parameter = parameter;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const chunks = this.#open();
    let index = 0;
    const check = (result: IteratorResult<unknown>): Checked | Promise<Checked> => {
      if (result.done) return { done: true, value: undefined };
      if (!isBytes(result.value)) return this.#refuse(chunks, index, result.value);
      index++;
      return result as IteratorYieldResult<Uint8Array>;
    };
    return {
      // Not async: an async function adds three microtasks to each chunk.
      next() {
        const result = chunks.next();
        return 'then' in result ? result.then(check) : Promise.resolve(check(result));
      },
      async return() {
        await chunks.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  /** Ends the source, so that it releases its resources. @throws BYTES_INVALID */
  async #refuse(chunks: AnyIterator, index: number, value: unknown): Promise<never> {
    await chunks.return?.();
    throw invalidChunk(this.#parameter, index, value);
  }
}

/** Returns the chunks of a web stream. Ending the iteration early cancels the stream. */
function readerOf(stream: ReadableStream<unknown>): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done, value };
    },
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

function isBlob(value: object): value is Blob {
  return 'stream' in value && typeof value.stream === 'function' && ['Blob', 'File'].includes(tagOf(value) ?? '');
}

function isStream(value: object): value is ReadableStream<unknown> {
  return 'getReader' in value && typeof value.getReader === 'function';
}

function tagOf(value: object): string | undefined {
  return (value as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag];
}

function invalidSource(parameter: string, value: unknown): InvalidBytesError {
  return new InvalidBytesError(parameter, expectedSource, describe(value), hintFor(value));
}

function invalidChunk(parameter: string, index: number, value: unknown): InvalidBytesError {
  const hint =
    typeof value === 'number' ? 'Pass Uint8Array.from(numbers) in place of an array of numbers.' : hintFor(value);
  return new InvalidBytesError(`${parameter}, chunk ${index}`, 'a Uint8Array', describe(value), hint);
}

function hintFor(value: unknown): string {
  if (typeof value === 'string')
    return 'Encode text with new TextEncoder().encode(text), and read streams without an encoding.';
  if (ArrayBuffer.isView(value)) return 'Pass new Uint8Array(view.buffer, view.byteOffset, view.byteLength).';
  if (typeof value === 'object' && value !== null && 'then' in value) return 'Await the promise, and pass its value.';
  return 'Pass a Uint8Array, an ArrayBuffer, a Blob, a ReadableStream, or an iterable of Uint8Arrays.';
}

/** Names the type of a value. Never includes its content, which may be secret. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return `a string of ${value.length} characters`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = tagOf(value) ?? (Array.isArray(value) ? 'Array' : Object.getPrototypeOf(value)?.constructor?.name);
  return `an object (${typeof name === 'string' && name !== '' ? name.slice(0, 40) : 'Object'})`;
}
