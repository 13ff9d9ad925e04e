import { readFileSync } from 'node:fs';
import resolve from './resolve.js';

/** Returns the bytes of a file of the suite. */
export default function loadFixture(path) {
  return new Uint8Array(readFileSync(resolve(path)));
}
