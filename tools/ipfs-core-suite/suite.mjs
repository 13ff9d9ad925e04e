import * as suites from 'interface-ipfs-core';
import { after } from 'mocha';
import { exceptions } from './exceptions.mjs';
import { createFactory } from './factory.mjs';

// Read while the tests are declared, also those of remote pinning, which are not run.
process.env.PINNING_SERVICE_ENDPOINT ??= 'http://127.0.0.1:9';

const factory = createFactory();

for (const [name, skip] of Object.entries(exceptions)) describe(name, () => suites[name](factory, { skip }));

after(() => factory.stop());
