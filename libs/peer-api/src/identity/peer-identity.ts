import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { base58btc } from 'multiformats/bases/base58';

/** Header of an Ed25519 key in the protobuf that libp2p hashes: type 1, 32 bytes. */
const publicKeyPrefix = Buffer.from('08011220', 'hex');
/** Multihash `identity` over 36 bytes: short keys are their own names. */
const multihashPrefix = Buffer.from('0024', 'hex');

/** Identity of the node of a home. */
export interface PeerIdentity {
  /** Peer ID in libp2p's text form (https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md). */
  readonly id: string;
  /** Protobuf of the public key in base64. */
  readonly publicKey: string;
  /** Ed25519 key. */
  readonly privateKey: KeyObject;
}

/** Name of the identity among the secrets of a shared store. */
export const peerIdentitySecret = 'peer identity';

/** Place of the identity: the file `identity.pem` in a home, or a shared store. */
export type IdentityPlace =
  | { readonly home: string }
  | {
      /** Returns the stored PEM of a private key, or stores the result of `create` if there is none. */
      readonly keep: (create: () => string) => Promise<string>;
    };

/** Opens the identity of a node. The first use creates it; all processes that use the place share it. */
export async function openPeerIdentity(place: IdentityPlace): Promise<PeerIdentity> {
  const privateKey = 'home' in place ? await privateKeyOf(place.home) : createPrivateKey(await place.keep(newKey));
  const key = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  // The last 32 bytes of its DER are the key itself (RFC 8410).
  const publicKey = Buffer.concat([publicKeyPrefix, key.subarray(-32)]);
  const id = base58btc.baseEncode(Buffer.concat([multihashPrefix, publicKey]));
  return { id, publicKey: publicKey.toString('base64'), privateKey };
}

async function privateKeyOf(home: string): Promise<KeyObject> {
  const file = join(home, 'identity.pem');
  const known = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (known !== undefined) return createPrivateKey(known);
  const draft = `${file}.${randomUUID()}`;
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(draft, newKey(), { mode: 0o600, flush: true });
  // The first process to link sets the identity, so that all processes on one home share it.
  await link(draft, file).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  await rm(draft);
  return createPrivateKey(await readFile(file, 'utf8'));
}

/** Creates a private key as PEM. */
function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
