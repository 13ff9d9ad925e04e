import { createCipheriv, createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { formatCid, parseCid } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import {
  type ImportedEntry,
  importTree,
  profiles,
  type TreeEntry,
  type TreeOptions,
  type UnixfsMetadata,
} from './index.ts';

/** Further vectors, if they are checked out beside the repository. */
const sharedFile = new URL('../../../../shared/conformance/ipfs/vectors.json', import.meta.url);

interface Source {
  readonly path?: string;
  readonly dir?: boolean;
  readonly symlink?: string;
  readonly content?: Uint8Array;
  readonly mode?: number;
  readonly mtime?: number;
  readonly mtimeNsecs?: number;
}

interface Input extends Omit<Source, 'content'> {
  readonly type: 'file' | 'dir' | 'many';
  readonly name: string;
  readonly content?: Generator;
  readonly tree?: Generator;
  readonly items?: readonly Input[];
}

interface Vector {
  readonly id: string;
  readonly op: string;
  readonly input: Input;
  readonly query: Readonly<Record<string, string>>;
  readonly expect: {
    readonly cid?: string;
    readonly size?: string;
    readonly derivedSize?: string;
    readonly linkCids?: readonly string[];
    readonly entries?: Readonly<Record<string, string>>;
  };
  readonly heavy?: boolean;
  readonly server?: { readonly shardThreshold?: number; readonly estimation?: 'block' };
}

interface Generators {
  bytes(content: Generator): Uint8Array;
  tree(tree: Generator): readonly Source[];
}

/** Parameters of a generator, which `gen` names. */
type Generator = { readonly gen: string } & Readonly<Record<string, unknown>>;

const readVectors = (file: URL) => JSON.parse(readFileSync(file, 'utf8')) as { readonly vectors: readonly Vector[] };

const { vectors } = readVectors(new URL('../vectors/add.json', import.meta.url));

describe('committed vectors of add', () => {
  test('exist', () => expect(vectors.length).toBeGreaterThan(70));
  test.each(vectors.map((vector) => [vector.id, vector] as const))('%s', async (_, vector) => {
    await check(vector, generators);
  });

  test('the comparison detects one additional byte', async () => {
    const vector = vectors.find(({ id }) => id === 'small/hello-worlds');
    if (vector === undefined) throw new Error('the vector is not there');
    const input: Input = { ...vector.input, content: { gen: 'utf8', text: 'Hello Worlds!\n ' } };
    await expect(check({ ...vector, input }, generators)).rejects.toThrow('toBe');
  });
});

if (!existsSync(sharedFile)) {
  test.skip('skipped: the shared conformance vectors are not beside the repository', () => {});
} else {
  const adds = readVectors(sharedFile).vectors.filter(({ op, heavy }) => op === 'add' && !heavy);
  const committed = new Set(vectors.map(contentOf));
  // Vectors that are committed unchanged have been checked above.
  const others = adds.filter((vector) => !committed.has(contentOf(vector)));
  const shared = (await import(new URL('lib/gen.mjs', sharedFile).href)) as Generators;

  describe('shared conformance vectors of add', () => {
    test('exist', () => expect(adds.length).toBeGreaterThan(90));
    test.each(others.map((vector) => [vector.id, vector] as const))('%s', async (_, vector) => {
      await check(vector, shared);
    });
  });
}

/** Text of everything that determines the check of a vector, independent of the order of keys. */
function contentOf({ id, input, query, expect: { size, derivedSize, ...expected }, server }: Vector): string {
  const sorted = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify([id, input, query, { ...expected, size: size ?? derivedSize }, server], sorted);
}

/** Imports the input of a vector as `add` does, and compares CIDs and sizes. */
async function check(vector: Vector, generators: Generators): Promise<void> {
  const { query, input, expect: expected } = vector;
  const wrap = query['wrap-with-directory'] === 'true';
  const store = createMemoryBlockstore();
  const results = new Map<string, ImportedEntry>();
  const entries = entriesOf(input, query, generators);
  for await (const result of importTree(entries, store, { ...optionsOf(vector), wrap })) {
    results.set(result.path, result);
  }
  const print = (entry: ImportedEntry | undefined) =>
    entry && (query['cid-base'] && entry.cid.version === 0 ? formatCid(entry.cid.toV1()) : entry.cid.toString());
  const root = results.get(wrap ? '' : input.name) ?? [...results.values()].at(-1);
  expect(expected.cid ?? expected.linkCids).toBeDefined();
  if (expected.cid) expect(print(root)).toBe(expected.cid);
  const size = expected.size ?? expected.derivedSize;
  if (size) expect(String(root?.dagSize)).toBe(size);
  for (const [path, cid] of Object.entries(expected.entries ?? {})) {
    expect(`${path} ${print(results.get(path))}`).toBe(`${path} ${cid}`);
  }
  for (const cid of expected.linkCids ?? []) expect(await store.has(parseCid(cid))).toBe(true);
}

function optionsOf({ query, server }: Vector): TreeOptions {
  const preserves = query['preserve-mode'] === 'true' || query['preserve-mtime'] === 'true';
  const version = query['cid-version'];
  const asked = server?.estimation === 'block' ? profiles['unixfs-v1-2025'] : {};
  return {
    ...asked,
    ...(version !== undefined && { cidVersion: version === '1' ? 1 : 0 }),
    ...(query['raw-leaves'] !== undefined && { rawLeaves: query['raw-leaves'] === 'true' }),
    ...(preserves && { rawLeaves: false }),
    ...(query.hash !== undefined && { hash: query.hash }),
    ...(query.chunker !== undefined && { chunker: query.chunker }),
    ...(query.trickle === 'true' && { layout: 'trickle' as const }),
    ...(query.inline === 'true' && { inline: true }),
    ...(query['inline-limit'] !== undefined && { inlineBytesMax: Number(query['inline-limit']) }),
    ...(query['max-file-links'] !== undefined && { fileLinksMax: Number(query['max-file-links']) }),
    ...(server?.shardThreshold !== undefined && { shardBytes: server.shardThreshold }),
  };
}

function* entriesOf(input: Input, query: Vector['query'], generators: Generators): Iterable<TreeEntry> {
  if (input.type === 'many') {
    for (const item of input.items ?? []) yield* entriesOf(item, query, generators);
    return;
  }
  if (input.type === 'file') {
    const content = input.content === undefined ? undefined : generators.bytes(input.content);
    const { content: _, ...rest } = input;
    yield entryOf({ ...rest, ...(content && { content }) }, input.name, query);
    return;
  }
  const sources = input.tree === undefined ? [] : generators.tree(input.tree);
  yield entryOf(sources.find(({ path }) => path === '') ?? {}, input.name, query);
  for (const source of sources) {
    if (source.path !== '') yield entryOf(source, `${input.name}/${source.path}`, query);
  }
}

function entryOf(source: Source, path: string, query: Vector['query']): TreeEntry {
  const metadata = metadataOf(source, query);
  if (source.symlink !== undefined) return { path, symlink: source.symlink, ...metadata };
  const { content } = source;
  if (content === undefined) return { path, ...metadata };
  return { path, ...metadata, content: pieces(content) };
}

function metadataOf(source: Source, query: Vector['query']): UnixfsMetadata {
  const asked = query.mode === undefined ? undefined : Number.parseInt(query.mode, 8);
  const mode = query['preserve-mode'] === 'true' ? source.mode : asked;
  const own = query['preserve-mtime'] === 'true';
  const seconds = own ? source.mtime : query.mtime === undefined ? undefined : Number(query.mtime);
  const nanoseconds = own ? source.mtimeNsecs : Number(query['mtime-nsecs'] ?? 0);
  const mtime = seconds === undefined ? undefined : { seconds, ...(nanoseconds !== undefined && { nanoseconds }) };
  return { ...(mode !== undefined && { mode }), ...(mtime && { mtime }) };
}

async function* pieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const number = (value: unknown) => (typeof value === 'number' ? value : 0);
const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** Generators of the committed vectors. */
const generators: Generators = { bytes: generateBytes, tree: generateTree };

function generateBytes({ gen, ...given }: Generator): Uint8Array {
  const size = number(given.size);
  switch (gen) {
    case 'utf8':
      return Buffer.from(text(given.text));
    case 'hex':
      return Buffer.from(text(given.hex), 'hex');
    case 'zeros':
      return Buffer.alloc(size);
    case 'repeat':
      return Buffer.alloc(size, typeof given.byte === 'number' ? given.byte : text(given.text));
    case 'mod251':
      return Uint8Array.from({ length: size }, (_, index) => index % 251);
    // Reproduces DeterministicRandomReader of Kubo's tests: a ChaCha20 key stream.
    case 'kubo-chacha20': {
      const key = createHash('sha256').update(text(given.seed)).digest();
      return createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(size));
    }
    default:
      throw new Error(`there is no generator ${gen}`);
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz01234567890-_';

function generateTree({ gen, ...given }: Generator): readonly Source[] {
  const numbers = Array.from({ length: number(given.count) }, (_, index) => index);
  switch (gen) {
    case 'list': {
      const entries = given.entries as readonly (Omit<Source, 'content'> & { readonly content?: Generator })[];
      return entries.map(({ content, ...entry }) => ({
        ...entry,
        ...(content && { content: generateBytes(content) }),
      }));
    }
    case 'seq-files':
      return numbers.map((index) => ({ path: `file${index + 1}`, content: Buffer.from(`${index + 1}\n`) }));
    case 'some-content':
      return numbers.map((index) => ({ path: String(index), content: Buffer.from(`some content ${index}`) }));
    case 'long-names':
      return numbers.map((index) => {
        const path = text(given.template).replace('%d', String(index));
        return { path, content: Buffer.from(path) };
      });
    // Reproduces createDeterministicFiles of Kubo's tests.
    case 'kubo-hamt-dir': {
      const stream = generateBytes({ gen: 'kubo-chacha20', seed: given.seed, size: 2 ** 20 });
      let at = 0;
      return Array.from({ length: number(given.files) }, (_, index) => {
        const isLast = index === number(given.files) - 1;
        const length = (isLast && number(given.lastNameLen)) || number(given.nameLen);
        const path = Array.from(stream.subarray(at, at + length), (byte) => letters[byte % letters.length]).join('');
        at += length;
        return { path, content: Buffer.from('x') };
      });
    }
    default:
      throw new Error(`there is no generator ${gen}`);
  }
}
