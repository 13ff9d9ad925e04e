#!/usr/bin/env node
// Measures both services beside the limits of this machine, in one run: node run.mjs [--peer URL] [--mib 1024] [--count 10000]
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchGateway } from './gateway.mjs';
import { report } from './lib/load.mjs';
import { bareHttpRate } from './lib/machine.mjs';
import { startServices } from './lib/services.mjs';
import { benchStorage } from './storage.mjs';

const { values } = parseArgs({
  options: {
    peer: { type: 'string' },
    mib: { type: 'string', default: '1024' },
    count: { type: 'string', default: '10000' },
    home: { type: 'string', default: process.cwd() },
  },
});
const home = mkdtempSync(join(values.home, '.cairn-bench-'));
const count = Number(values.count);
const services = await startServices(home);
try {
  const bare = await bareHttpRate(count);
  report('machine: bare Node HTTP server', bare, '/s');
  await benchStorage({ ...services, home, mebibytes: Number(values.mib), small: count, bare });
  await benchGateway({ ...services, count, bare, ...(values.peer && { peer: values.peer }) });
} finally {
  await services.stop();
  rmSync(home, { recursive: true, force: true });
}
