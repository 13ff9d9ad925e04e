#!/usr/bin/env node
// Measures both services beside the limits of this machine, in one run:
// node run.mjs [--only storage|gateway] [--storage-peer URL] [--peer URL] [--mib 1024] [--count 10000] [--home /dev/shm]
// A peer is another server of the same API: for storage Kubo's, with credentials in its URL where it asks for them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchGateway } from './gateway.mjs';
import { report } from './lib/load.mjs';
import { bareHttpRate } from './lib/machine.mjs';
import { startServices } from './lib/services.mjs';
import { benchStorage, storagePid } from './storage.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    peer: { type: 'string' },
    'storage-peer': { type: 'string' },
    mib: { type: 'string', default: '1024' },
    count: { type: 'string', default: '10000' },
    home: { type: 'string', default: process.cwd() },
  },
});
mkdirSync(values.home, { recursive: true });
const home = mkdtempSync(join(values.home, '.cairn-bench-'));
const count = Number(values.count);
const services = await startServices(home);
try {
  const bare = await bareHttpRate(count);
  report('machine: bare Node HTTP server', bare, '/s');
  if (values.only !== 'gateway') {
    const peer = values['storage-peer'] ?? (values.only === 'storage' ? values.peer : undefined);
    const pid = storagePid(services.pid);
    await benchStorage({ ...services, home, mebibytes: Number(values.mib), small: count, bare, pid, peer });
  }
  if (values.only !== 'storage')
    await benchGateway({ ...services, count, bare, ...(values.peer && { peer: values.peer }) });
} finally {
  await services.stop();
  rmSync(home, { recursive: true, force: true });
}
