import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { openLmdbProvideStore } from './index.ts';
import { describeProvideStore } from './testing/describe-provide-store.ts';

const home = mkdtempSync(join(tmpdir(), 'cairn-providing-'));
let stores = 0;
afterAll(() => rmSync(home, { recursive: true }));

describeProvideStore('LmdbProvideStore', () => openLmdbProvideStore({ directory: join(home, `${stores++}`) }));
