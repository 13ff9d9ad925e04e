import {
  bitswap,
  block,
  bootstrap,
  dag,
  dht,
  files,
  key,
  miscellaneous,
  name,
  pin,
  ping,
  repo,
  root,
  stats,
  swarm,
} from 'interface-ipfs-core';
import { after, before } from 'mocha';
import { startEchoServer } from './echo-server.mjs';
import { exceptions } from './exceptions.mjs';
import { createFactory } from './factory.mjs';

const suites = {
  root,
  block,
  dag,
  pin,
  files,
  repo,
  miscellaneous,
  swarm,
  dht,
  bitswap,
  ping,
  bootstrap,
  stats,
  key,
  name,
};

// Required while tests are declared, also by those of remote pinning, which are skipped.
process.env.PINNING_SERVICE_ENDPOINT ??= 'http://127.0.0.1:9';

const shared = createFactory({ isShared: true });
const own = createFactory({ isShared: false });
const network = createFactory({ isShared: false, hasPeer: true });
const factories = {
  root: shared,
  files: shared,
  miscellaneous: network,
  swarm: network,
  dht: network,
  bitswap: network,
  ping: network,
  bootstrap: network,
  stats: network,
  key: shared,
  name: shared,
};
let echo;

before(async () => {
  echo = await startEchoServer();
  process.env.ECHO_SERVER = echo.url;
});
after(async () => {
  await Promise.all([shared.stop(), own.stop(), network.stop()]);
  echo.close();
});

// In CI a failed test runs once more, as those of jest do (tools/lib/jest-second-attempt.mjs).
for (const [name, suite] of Object.entries(suites))
  describe(name, function declare() {
    this.retries(process.env.CI ? 1 : 0);
    suite(factories[name] ?? own, { skip: exceptions[name] });
  });
