import { fileURLToPath } from 'node:url';

// The newest release of the suite lacks its fixtures; an older one, a dependency of the suite's runner, contains them.
const fixtures = new URL('../node_modules/interface-ipfs-core-fixtures/dist/', import.meta.url);

/** Returns the path of a file of the suite. */
export default function resolve(path) {
  return fileURLToPath(new URL(path.replaceAll(' ', '%20'), fixtures));
}
