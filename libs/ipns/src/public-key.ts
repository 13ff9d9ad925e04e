import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { CID, digest } from '@cairn/cid';
import { libp2pKeyCode } from './ipns-name.ts';
import { limits } from './limits.ts';
import { encodeProtobuf, protobufFields } from './protobuf-fields.ts';

/** DER headers (RFC 5280 SubjectPublicKeyInfo) of keys that libp2p stores without one. */
const spkiHeaders = {
  ed25519: Buffer.from('302a300506032b6570032100', 'hex'),
  secp256k1: Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex'),
} as const;

/** Key types of https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md. */
export const keyTypes = { rsa: 0, ed25519: 1, secp256k1: 2, ecdsa: 3 } as const;

export type KeyType = keyof typeof keyTypes;

/** Longest public key that a name contains as it is; names of longer ones are hashes. */
const inlineBytesMax = 42;
const identityHeader = [0x00];

/** Verifies a signature with a public key in libp2p's encoding. @throws RangeError, or an error of OpenSSL, for a bad key */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const { type, data } = decodeKeyMessage(publicKey);
  const key = importKey(type, data);
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (modulusLength > limits.rsaBitsMax) throw new RangeError(`the RSA key has ${modulusLength} bits`);
  return verify(type === keyTypes.ed25519 ? null : 'sha256', message, key, signature);
}

/** Decodes libp2p's message of a public or private key. @throws RangeError */
export function decodeKeyMessage(bytes: Uint8Array): { readonly type: number; readonly data: Uint8Array } {
  let type: number | undefined;
  let data: Uint8Array | undefined;
  for (const { field, number, bytes: value } of protobufFields(bytes)) {
    if (field === 1 && number !== undefined) type = Number(number);
    if (field === 2 && value !== undefined) data = value;
  }
  if (type === undefined || data === undefined) throw new RangeError('the public key has no type or no data');
  return { type, data };
}

function importKey(type: number, data: Uint8Array): KeyObject {
  const header =
    type === keyTypes.ed25519 ? spkiHeaders.ed25519 : type === keyTypes.secp256k1 ? spkiHeaders.secp256k1 : undefined;
  if (header === undefined && type !== keyTypes.rsa && type !== keyTypes.ecdsa)
    throw new RangeError(`the key type ${type} is unknown`);
  const key = header === undefined ? Buffer.from(data) : Buffer.concat([header, data]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

/** Encodes a public key as libp2p does. */
export function encodePublicKey(type: KeyType, key: KeyObject): Uint8Array {
  return encodeProtobuf([
    [1, BigInt(keyTypes[type])],
    [2, publicData(type, key)],
  ]);
}

function publicData(type: KeyType, key: KeyObject): Uint8Array {
  if (type === 'secp256k1') {
    const { x = '', y = '' } = key.export({ format: 'jwk' });
    const last = Buffer.from(y, 'base64url').at(-1) ?? 0;
    return Buffer.concat([Uint8Array.of(last % 2 === 0 ? 2 : 3), Buffer.from(x, 'base64url')]);
  }
  const der = key.export({ format: 'der', type: 'spki' });
  return type === 'ed25519' ? der.subarray(-32) : der;
}

/** Returns the public key that a name contains; undefined for a name that is the hash of its key. */
export function publicKeyOfName({ multihash }: CID): Uint8Array | undefined {
  return multihash.code === identityHeader[0] ? multihash.digest : undefined;
}

/** Returns the IPNS name of a public key in libp2p's encoding. */
export function nameOfPublicKey(publicKey: Uint8Array): CID {
  if (publicKey.length > inlineBytesMax) return CID.createV1(libp2pKeyCode, digest('sha2-256', publicKey));
  return CID.decode(Uint8Array.of(1, libp2pKeyCode, ...identityHeader, publicKey.length, ...publicKey));
}
