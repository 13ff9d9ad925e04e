import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { openPostgres } from '@cairn/postgres';
import { afterEach, beforeEach } from '@jest/globals';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { openLmdbPinStore } from './index.ts';
import { openPostgresPinStore } from './postgres/index.ts';
import { describeCollectorModel } from './testing/index.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-collector-model-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const openBlocks = (home: string) => openLmdbBlockstore({ directory: join(home, 'blocks') });

describeCollectorModel('pins in LMDB', () => {
  const home = mkdtempSync(join(directory, 'run-'));
  return async () => ({
    pins: await openLmdbPinStore({ directory: join(home, 'pins') }),
    blocks: await openBlocks(home),
  });
});

describeWithPostgres('with PostgreSQL', (server) => {
  describeCollectorModel('pins in PostgreSQL', async () => {
    const home = mkdtempSync(join(directory, 'run-'));
    const url = await server().createDatabase();
    return async () => {
      const database = await openPostgres({ url, connectionsMax: 2 });
      const pins = await openPostgresPinStore(database);
      pins.close = () => database.close();
      return { pins, blocks: await openBlocks(home) };
    };
  });
});
