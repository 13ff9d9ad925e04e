// Chain source for tests, whose accounts and slots are readable once a file with their name exists in `directory`: `0xaddress` and
// `0xaddress-0xslot`. JavaScript, since workers import it directly.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hexFromBytes } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { CairnError } from '@cairn/errors';

/** A file `exit` ends the thread of the next attempt. */
export function createPartialSource({ header, accounts, directory }) {
  const state = createMemoryState(accounts);
  const has = (name) => existsSync(join(directory, name));
  const sourceOf = (onRead) => {
    const reader = {
      getAccount: (address) => (onRead(hexFromBytes(address)) ? state.getAccount(address) : undefined),
      getCode: (codeHash) => state.getCode(codeHash),
      getStorage: (address, slot) =>
        onRead(`${hexFromBytes(address)}-${hexFromBytes(slot)}`) ? state.getStorage(address, slot) : new Uint8Array(0),
    };
    return {
      header: (hash) => (hash === header.hash ? header : undefined),
      stateAt: (hash) => (hash === header.hash ? reader : undefined),
    };
  };
  const strict = sourceOf((name) => {
    if (!has(name)) throw new CairnError('CONTENT_MISSING', `${name} is not fetched.`);
    return true;
  });
  return { ...strict, attempt: () => attemptOf(sourceOf, has, directory) };
}

function attemptOf(sourceOf, has, directory) {
  if (has('exit')) {
    rmSync(join(directory, 'exit'));
    process.exit(1);
  }
  const missing = new Set();
  const reads = new Set();
  return {
    source: sourceOf((name) => {
      const isKnown = has(name);
      (isKnown ? reads : missing).add(name);
      return isKnown;
    }),
    get isComplete() {
      return missing.size === 0;
    },
    missing: () => [...missing],
    reads: () => [...reads],
  };
}
