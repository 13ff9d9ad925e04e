#!/usr/bin/env node
// `npm start`: install, build, then `cairn up`, from a bare clone with only Node and npm.
import { requireNode } from './lib/toolchain.mjs';
import { exitCodeOf, prepareServices, spawnUp } from './lib/up.mjs';

requireNode();
await prepareServices();
const child = spawnUp(process.argv.slice(2));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('close', (code, signal) => process.exit(exitCodeOf(code, signal)));
