// Flips bits of a store and reads all of it. Runs in a separate process, since damage of a mapped page may end it.
import { closeSync, cpSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

// Imports the build, since this process cannot load TypeScript.
const { Environment } = await import(new URL('../dist/index.js', import.meta.url).href);

const format = { name: 'test', version: 1, seals: {} };

process.on('message', async ({ base, trial, flips, isOpen }) => {
  const directory = join(base, `trial-${trial}`);
  cpSync(join(base, 'store'), directory, { recursive: true });
  process.send(await run(directory, flips, isOpen).catch(({ code, message }) => ({ code, message })));
  rmSync(directory, { recursive: true });
});

async function run(directory, flips, isOpen) {
  if (!isOpen) flip(directory, flips);
  const environment = await Environment.open({ directory, format });
  try {
    const databases = ['one', 'two'].map((name) => environment.database(name));
    if (isOpen) flip(directory, flips);
    return { found: read(databases) };
  } finally {
    await environment.close();
  }
}

function read(databases) {
  return databases.map((database) => {
    const hex = (bytes) => bytes && Buffer.from(bytes).toString('hex');
    const all = [...database.range()].map(({ key, value }) => `${hex(key)}=${hex(value)}`);
    const down = [...database.keys({ reverse: true })].map(hex);
    const each = Array.from({ length: 300 }, (_, index) => hex(database.get(Buffer.from(`key ${index}`))) ?? '-');
    return [all, down, each, database.count()];
  });
}

function flip(directory, flips) {
  const file = openSync(join(directory, 'data.mdb'), 'r+');
  const byte = Buffer.alloc(1);
  for (const { at, bit } of flips) {
    readSync(file, byte, 0, 1, at);
    byte[0] ^= 1 << bit;
    writeSync(file, byte, 0, 1, at);
  }
  closeSync(file);
}
