// Prints which peers are built: part of the cache key of e2e tests, so that a skipped test runs once its peer is there.
import { peerBinary, peerNames } from './binaries.mjs';

for (const name of peerNames) console.log(name, peerBinary(name) ?? 'not built');
