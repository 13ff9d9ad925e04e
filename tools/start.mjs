#!/usr/bin/env node
// `npm start`: install, build, then `cairn up`, from a bare clone with only Node and npm. With `--distributed` all state is in
// PostgreSQL, Redis and an S3 server, which are started over temporary directories and removed at the end.
import { requireNode } from './lib/toolchain.mjs';
import { exitCodeOf, prepareServices, spawnUp } from './lib/up.mjs';

requireNode();
const args = process.argv.slice(2).filter((argument) => argument !== '--distributed');
const isDistributed = process.argv.includes('--distributed');
await prepareServices();
const engines = isDistributed ? await engineSettings() : undefined;
const child = spawnUp(args, engines?.env);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('close', (code, signal) => void end(exitCodeOf(code, signal)));

async function end(code) {
  await engines?.stop();
  process.exit(code);
}

async function engineSettings() {
  const { startEngines } = await import('./lib/engines-for-start.mjs');
  console.log('Cairn: starting PostgreSQL, Redis and an S3 server; their data is removed at the end');
  try {
    return await startEngines();
  } catch (error) {
    console.error(`The engines do not start: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}
