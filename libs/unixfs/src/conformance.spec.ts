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

/** The shared conformance vectors, where they are checked out beside the repository. */
const conformance = new URL('../../../../shared/conformance/ipfs/', import.meta.url);
const vectorsFile = new URL('vectors.json', conformance);

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
  readonly content?: unknown;
  readonly tree?: unknown;
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
  bytes(content: unknown): Uint8Array;
  tree(tree: unknown): Source[];
  sortTree(entries: Source[]): Source[];
}

if (!existsSync(vectorsFile)) {
  test.skip('skipped: the shared conformance vectors are not there', () => {});
} else {
  const { vectors } = JSON.parse(readFileSync(vectorsFile, 'utf8')) as { vectors: readonly Vector[] };
  const generators = (await import(new URL('lib/gen.mjs', conformance).href)) as Generators;

  describe('conformance vectors of add', () => {
    const adds = vectors.filter(({ op, heavy }) => op === 'add' && !heavy);
    test('there are vectors to run', () => expect(adds.length).toBeGreaterThan(90));
    test.each(adds.map((vector) => [vector.id, vector] as const))('%s', async (_, vector) => {
      const { query, input, expect: expected } = vector;
      const wrap = query['wrap-with-directory'] === 'true';
      const store = createMemoryBlockstore();
      const results = new Map<string, ImportedEntry>();
      for await (const result of importTree(entriesOf(input, query, generators), store, {
        ...optionsOf(vector),
        wrap,
      })) {
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
      for (const cid of expected.linkCids ?? []) {
        const blocks = [];
        for await (const block of store.keys()) blocks.push(Buffer.from(block.multihash.digest).toString('hex'));
        expect(blocks).toContain(Buffer.from(parseCid(cid).multihash.digest).toString('hex'));
      }
    });
  });
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

function* entriesOf(input: Input, query: Vector['query'], generators: Generators): Generator<TreeEntry> {
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
  const sources = generators.sortTree(generators.tree(input.tree));
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
