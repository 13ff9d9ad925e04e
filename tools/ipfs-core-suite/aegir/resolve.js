import { fileURLToPath } from 'node:url';

// The newest release of the suite leaves its fixtures out; an older one, which the suite's runner depends on, has them.
const fixtures = new URL('../node_modules/interface-ipfs-core-fixtures/dist/', import.meta.url);

/** Where a file of the suite lies. */
export default function resolve(path) {
  return fileURLToPath(new URL(path.replaceAll(' ', '%20'), fixtures));
}
