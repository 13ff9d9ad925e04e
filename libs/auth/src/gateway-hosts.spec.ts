import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { openLmdbGatewayHostStore } from './gateway-hosts.ts';
import { describeGatewayHostStore } from './testing/index.ts';

const home = mkdtempSync(join(tmpdir(), 'cairn-hosts-'));
let stores = 0;
afterAll(() => rmSync(home, { recursive: true }));

describeGatewayHostStore('LmdbGatewayHostStore', async () => {
  const directory = join(home, `${stores++}`);
  return () => openLmdbGatewayHostStore({ directory });
});
