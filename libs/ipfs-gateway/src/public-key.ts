import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { protobufFields } from './protobuf-fields.ts';

/** DER headers (RFC 5280 SubjectPublicKeyInfo) of keys that libp2p stores without one. */
const spkiHeaders = {
  ed25519: Buffer.from('302a300506032b6570032100', 'hex'),
  secp256k1: Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex'),
} as const;

/** Key types of https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md. */
const keyTypes = { rsa: 0, ed25519: 1, secp256k1: 2, ecdsa: 3 } as const;

/** Largest RSA modulus in bits: verification of a larger one takes long. Kubo's bound. */
const rsaBitsMax = 8192;

/** Verifies a signature with a public key in libp2p's encoding. @throws RangeError, or an error of OpenSSL, for a bad key */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const { type, data } = decodeKey(publicKey);
  const key = importKey(type, data);
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (modulusLength > rsaBitsMax) throw new RangeError(`the RSA key has ${modulusLength} bits`);
  return verify(type === keyTypes.ed25519 ? null : 'sha256', message, key, signature);
}

function decodeKey(publicKey: Uint8Array): { readonly type: number; readonly data: Uint8Array } {
  let type: number | undefined;
  let data: Uint8Array | undefined;
  for (const { field, number, bytes } of protobufFields(publicKey)) {
    if (field === 1 && number !== undefined) type = Number(number);
    if (field === 2 && bytes !== undefined) data = bytes;
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
