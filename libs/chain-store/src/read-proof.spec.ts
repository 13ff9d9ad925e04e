import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeRlp, encodeRlp, keccak256 } from '@cairn/block-model';
import { MerklePatriciaTrie, verifyMPTWithMerkleProof } from '@ethereumjs/mpt';
import { KECCAK256_RLP } from '@ethereumjs/util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readProof } from './read-proof.ts';
import { openTables, type Tables } from './tables.ts';
import { TrieNodes } from './trie-nodes.ts';

const directory = mkdtempSync(join(tmpdir(), 'cairn-proof-'));
let tables: Tables;
beforeAll(async () => {
  tables = await openTables(directory);
});
afterAll(async () => {
  await tables.environment.close();
  rmSync(directory, { recursive: true });
});

const key = fc.uint8Array({ minLength: 1, maxLength: 20 });
const value = fc.uint8Array({ minLength: 1, maxLength: 60 });

/** A trie of entries, written down; its root. */
async function makeTrie(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Promise<Uint8Array> {
  const nodes = new TrieNodes(tables.nodes);
  const trie = nodes.trie(KECCAK256_RLP);
  for (const [name, content] of entries) trie.put(keccak256(name), encodeRlp(content));
  const root = trie.root();
  const fresh = nodes.takeFresh();
  await tables.environment.transaction(() => {
    for (const [name, node] of fresh) tables.nodes.put(Buffer.from(name, 'hex'), node);
  });
  return root;
}

test('finds what a trie holds and what it does not, with proofs that others accept', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(key, value), { maxLength: 60 }), key, async (entries, absent) => {
      const root = await makeTrie(entries);
      const held = new Map(entries.map(([name, content]) => [Buffer.from(name).toString('hex'), content]));
      for (const name of [...entries.map(([entry]) => entry), absent]) {
        const { nodes, value: found } = readProof(tables.nodes, root, name);
        const content = held.get(Buffer.from(name).toString('hex'));
        expect(found && decodeRlp('value', found)).toEqual(content && Uint8Array.from(content));
        if (nodes.length === 0) continue;
        const proven = await verifyMPTWithMerkleProof(
          new MerklePatriciaTrie({ useKeyHashing: true, root }),
          root,
          name,
          [...nodes],
        );
        expect(proven === null ? undefined : Buffer.from(proven)).toEqual(content && Buffer.from(encodeRlp(content)));
      }
    }),
    { numRuns: 50 },
  );
});

test('refuses nodes that are missing or are not what their names say', async () => {
  const root = await makeTrie([[Buffer.from('a'), Buffer.from('1')]]);
  expect(() => readProof(tables.nodes, Buffer.alloc(32, 1), Buffer.from('a'))).toThrow(/missing/);
  await tables.environment.transaction(() => tables.nodes.put(root, Buffer.from('wrong')));
  expect(() => readProof(tables.nodes, root, Buffer.from('a'))).toThrow(
    expect.objectContaining({ code: 'BLOCK_CORRUPT' }),
  );
});
