// Builds and reads homes, also damaged ones, in its own process: LMDB may end the process on a damaged mapped page.
import { closeSync, cpSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { buildHome, load, readHome } from './known-home.fixture.mjs';

const libs = await load();

const actions = {
  build: ({ home }) => buildHome(home, libs),
  read: ({ home }) => readHome(home, libs),
  trial: async ({ home, trial, store, flips, isOpen }) => {
    const copy = `${home}-${trial}`;
    cpSync(home, copy, { recursive: true });
    const damage = () => flip(join(copy, store, 'data.mdb'), flips);
    try {
      if (!isOpen) damage();
      return await readHome(copy, libs, isOpen ? { afterOpen: damage } : {});
    } finally {
      rmSync(copy, { recursive: true });
    }
  },
};

process.on('message', async ({ action, ...options }) => {
  const answer = await actions[action](options).then(
    (found) => ({ found }),
    ({ name, code, message }) => ({ code: code ?? name, message }),
  );
  process.send(answer);
});
process.send('ready');

function flip(path, flips) {
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  for (const { at, bit } of flips) {
    readSync(file, byte, 0, 1, at);
    byte[0] ^= 1 << bit;
    writeSync(file, byte, 0, 1, at);
  }
  closeSync(file);
}
