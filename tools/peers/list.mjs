// Prints the built peers: part of the cache key of e2e tests, so that a skipped test runs after its peer is built.
import { peerBinary, peerNames } from './binaries.mjs';

for (const name of peerNames) console.log(name, peerBinary(name) ?? 'not built');
