#!/usr/bin/env node
// Measures both services beside the limits of this machine, in one run:
// node run.mjs [--only storage|gateway|metering|isolation|upstreams|ipfs-peer|ipfs-peer-load|ipfs-gateway|limits|pins|engines] [--storage-peer URL] [--anvil] [--mib 1024] [--count 10000] [--home /dev/shm]
//   [--chain DIRECTORY] [--minutes 0] [--seconds 30] [--attacks cat,eth_call] [--rounds 3] [--case TEXT]
// A storage peer is another server of Kubo's API, with credentials in its URL where it asks for them; --anvil takes the
// node of that name from the npm registry and puts it beside the gateway. --chain names a directory with genesis.json and
// chain.rlp to import; --minutes asks for so long a mixed load, with the memory of the gateway. `isolation` runs only where it is asked for: what an account feels during
// `--seconds` of each expensive request of another one, by default of all of ../worst-request/hurtful.mjs. `upstreams` runs only with
// --only, too: networks with upstreams beside their goals; --mib is the content of the cache whose memory is measured.
// `ipfs-peer` runs only with --only: [--mib 256] [--rounds 3] [--profile DIRECTORY] bitswap beside two Kubo nodes, with CPU profiles;
// --case engine measures the bitswap engine only, --case services the storage API with ipfs-peer only.
// `ipfs-peer-load` runs only with --only: adds while 50 peers request blocks, beside idle ones, --rounds times.
// `packs` runs only with --only: [--mib 256] [--rounds 3] packs in an S3 server beside plain objects, and the cache beside LMDB.
// `ipfs-gateway` runs only with --only: it compares the gateway with a real Kubo, alternately, --rounds times; --case names a part of a line's name, such as
// `MiB, 2` for the large file of --mib, or `memory` for that with 2,000 connections; --profile DIRECTORY writes a CPU profile of the gateway.
// `limits` runs only with --only: token lots a second embedded beside Redis, --count of them in each of --rounds.
// `engines` runs only with --only: the services embedded and on engines, alternately; --seconds for each turn, --case names a part of a line.
// `pins` runs only with --only: the embedded pin store beside PostgreSQL, --count calls at each of --pins, --rounds times.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchEngines } from './engines.mjs';
import { benchGateway } from './gateway.mjs';
import { benchImport } from './import.mjs';
import { benchIpfsGateway } from './ipfs-gateway.mjs';
import { benchPeerServices } from './ipfs-peer/services.mjs';
import { benchIpfsPeer } from './ipfs-peer.mjs';
import { benchIpfsPeerLoad } from './ipfs-peer-load.mjs';
import { benchIsolation } from './isolation.mjs';
import { report } from './lib/load.mjs';
import { bareHttpRate } from './lib/machine.mjs';
import { servicePid, startServices } from './lib/services.mjs';
import { benchLimits } from './limits.mjs';
import { benchMetering } from './metering.mjs';
import { benchMemory } from './mixed.mjs';
import { benchPacks } from './packs.mjs';
import { benchPins } from './pins.mjs';
import { benchStorage } from './storage.mjs';
import { benchUpstreams } from './upstreams.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    anvil: { type: 'boolean', default: false },
    'storage-peer': { type: 'string' },
    mib: { type: 'string', default: '1024' },
    count: { type: 'string', default: '10000' },
    chain: { type: 'string' },
    minutes: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '30' },
    attacks: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    pins: { type: 'string', default: '10000,100000' },
    profile: { type: 'string' },
    case: { type: 'string' },
    home: { type: 'string', default: process.cwd() },
  },
});
if (values.only === 'engines') {
  const { home, rounds, seconds, mib, case: only } = values;
  await benchEngines({ home, rounds: Number(rounds), seconds: Number(seconds), mebibytes: Number(mib), only });
  process.exit(0);
}
if (values.only === 'limits') {
  await benchLimits({ rounds: Number(values.rounds), count: Number(values.count) });
  process.exit(0);
}
if (values.only === 'pins') {
  const sizes = values.pins.split(',').map(Number);
  await benchPins({ rounds: Number(values.rounds), count: Number(values.count), sizes });
  process.exit(0);
}
if (values.only === 'isolation') {
  await benchIsolation({ seconds: Number(values.seconds), only: values.attacks });
  process.exit(0);
}
if (values.only === 'ipfs-peer') {
  const mebibytes = process.argv.includes('--mib') ? Number(values.mib) : 256;
  const options = { mebibytes, rounds: Number(values.rounds), profile: values.profile };
  if (values.case !== 'services') await benchIpfsPeer({ ...options, home: values.home });
  if (values.case !== 'engine') await benchPeerServices(options);
  process.exit(0);
}
if (values.only === 'ipfs-peer-load') {
  await benchIpfsPeerLoad({ home: values.home, rounds: Number(values.rounds) });
  process.exit(0);
}
if (values.only === 'ipfs-gateway') {
  const { home, mib, rounds, profile, case: only } = values;
  await benchIpfsGateway({ home, mebibytes: Number(mib), rounds: Number(rounds), only, profile });
  process.exit(0);
}
if (values.only === 'packs') {
  const mebibytes = process.argv.includes('--mib') ? Number(values.mib) : 256;
  await benchPacks({ home: values.home, mebibytes, rounds: Number(values.rounds) });
  process.exit(0);
}
if (values.only === 'upstreams') {
  await benchUpstreams({ mebibytes: Number(values.mib) });
  process.exit(0);
}
mkdirSync(values.home, { recursive: true });
const home = mkdtempSync(join(values.home, '.cairn-bench-'));
const count = Number(values.count);
const services = await startServices(home);
try {
  const bare = await bareHttpRate(count);
  report('machine: bare Node HTTP server', bare, '/s');
  if (values.only === undefined || values.only === 'storage') {
    const peer = values['storage-peer'];
    const pid = servicePid(services.pid, 'storage-api');
    await benchStorage({ ...services, home, mebibytes: Number(values.mib), small: count, bare, pid, peer });
  }
  const gatewayPid = servicePid(services.pid, 'rpc-gateway');
  if (values.only !== 'storage') await benchMetering({ ...services, home, count, pid: gatewayPid });
  if (values.only === undefined || values.only === 'gateway') {
    await benchGateway({ ...services, count, bare, withAnvil: values.anvil });
    await benchImport({ home, ...(values.chain && { chain: values.chain }) });
    const minutes = Number(values.minutes);
    if (minutes > 0) await benchMemory({ ...services, minutes, pid: gatewayPid });
  }
} finally {
  await services.stop();
  rmSync(home, { recursive: true, force: true });
}
