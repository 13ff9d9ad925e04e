import { readFile } from 'node:fs/promises';
import { PeerApiError } from '@cairn/peer-api';

/** Form of Kubo's `swarm.key`: a header, a base and 32 bytes. */
const pattern = /^\/key\/swarm\/psk\/1\.0\.0\/\s*\n\/base16\/\s*\n([0-9a-fA-F]{64})\s*$/;

/** Reads the key of a private network in Kubo's format: its 32 bytes. @throws SWARM_KEY_INVALID */
export async function readSwarmKey(file: string): Promise<Uint8Array> {
  const text = await readFile(file, 'utf8');
  const key = pattern.exec(text.replaceAll('\r', ''))?.[1];
  if (key === undefined)
    throw new PeerApiError('SWARM_KEY_INVALID', `The file ${file} is not a swarm key.`, {
      hint: 'Use three lines: /key/swarm/psk/1.0.0/, /base16/, and 64 hexadecimal digits, as in swarm.key of Kubo.',
    });
  return Uint8Array.from(Buffer.from(key, 'hex'));
}
