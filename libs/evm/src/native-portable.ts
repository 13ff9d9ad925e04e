// The functions of native-node.ts for browsers.
import { latin1FromBytes } from '@cairn/platform';

export { sha256 } from '@noble/hashes/sha2.js';

export function mapKeyFromBytes(bytes: Uint8Array): string {
  return latin1FromBytes(bytes);
}
