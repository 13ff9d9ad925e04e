import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keccak256 } from '@cairn/cid';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openTables, type Tables } from './tables.ts';
import { TrieNodes } from './trie-nodes.ts';

const directory = mkdtempSync(join(tmpdir(), 'cairn-nodes-'));
let tables: Tables;
beforeAll(async () => {
  tables = await openTables(directory);
});
afterAll(async () => {
  await tables.environment.close();
  rmSync(directory, { recursive: true });
});

test('load returns stored nodes, and new nodes before and after takeFresh', async () => {
  const nodes = new TrieNodes(tables.nodes);
  const node = Buffer.from('node');
  const hash = keccak256(node);
  nodes.save(hash, node);
  expect(nodes.load(hash)).toBe(node);
  const fresh = nodes.takeFresh();
  expect([...fresh.values()]).toEqual([node]);
  expect(nodes.takeFresh().size).toBe(0);
  expect(nodes.load(hash)).toBe(node);
  await tables.environment.transaction(() => tables.nodes.put(hash, node));
  expect(Buffer.from(new TrieNodes(tables.nodes).load(hash))).toEqual(node);
});

test('load refuses a node that is missing or does not match its hash', async () => {
  const hash = Buffer.alloc(32, 1);
  const corrupt = (actual: RegExp) =>
    expect.objectContaining({ code: 'BLOCK_CORRUPT', message: expect.stringMatching(actual) });
  expect(() => new TrieNodes(tables.nodes).load(hash)).toThrow(corrupt(/^Trie node 0x0101.* found nothing/));
  await tables.environment.transaction(() => tables.nodes.put(hash, Buffer.from('other')));
  expect(() => new TrieNodes(tables.nodes).load(hash)).toThrow(corrupt(/found bytes with the hash/));
});
