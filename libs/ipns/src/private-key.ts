import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { CID } from '@cairn/cid';
import { InvalidKeyError } from './errors.ts';
import { limits } from './limits.ts';
import { encodeProtobuf, unparsable } from './protobuf-fields.ts';
import { decodeKeyMessage, encodePublicKey, type KeyType, keyTypes, nameOfPublicKey } from './public-key.ts';

/** Private key of a name. */
export interface IpnsKey {
  readonly type: KeyType;
  readonly name: CID;
  /** Public key in libp2p's encoding. */
  readonly publicKey: Uint8Array;
  readonly privateKey: KeyObject;
}

const generate = promisify(generateKeyPair);
const pkcs8Ed25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** RFC 5915 ECPrivateKey around 32 bytes of secp256k1. */
const sec1Secp256k1 = {
  before: Buffer.from('302e0201010420', 'hex'),
  after: Buffer.from('a00706052b8104000a', 'hex'),
} as const;

/** Generates a key in a thread of the crypto pool. `bits` is for RSA. @throws IPNS_KEY_INVALID */
export async function generateIpnsKey(
  options: { readonly type: 'ed25519' } | { readonly type: 'rsa'; readonly bits?: number },
): Promise<IpnsKey> {
  if (options.type === 'ed25519') return keyOf('ed25519', (await generate('ed25519')).privateKey);
  const { bits = limits.rsaBitsMin } = options;
  if (bits < limits.rsaBitsMin) throw new InvalidKeyError(`rsa keys must be >= ${limits.rsaBitsMin} bits to be useful`);
  if (bits > limits.rsaBitsMax) throw new InvalidKeyError(`rsa keys must be <= ${limits.rsaBitsMax} bits`);
  return keyOf('rsa', (await generate('rsa', { modulusLength: bits })).privateKey);
}

function keyOf(type: KeyType, privateKey: KeyObject): IpnsKey {
  const publicKey = encodePublicKey(type, createPublicKey(privateKey));
  return { type, name: nameOfPublicKey(publicKey), publicKey, privateKey };
}

/** Signs bytes as libp2p does: SHA-256 for all types but Ed25519. RSA of 8192 bits takes about 15 ms. */
export function signWith({ type, privateKey }: Pick<IpnsKey, 'type' | 'privateKey'>, bytes: Uint8Array): Uint8Array {
  return sign(type === 'ed25519' ? null : 'sha256', bytes, privateKey);
}

/** Decodes a private key from libp2p's protobuf. @throws IPNS_KEY_INVALID */
export function decodeIpnsKey(bytes: Uint8Array): IpnsKey {
  let message: ReturnType<typeof decodeKeyMessage>;
  try {
    message = decodeKeyMessage(bytes);
  } catch (error) {
    throw new InvalidKeyError(unparsable, error);
  }
  const [type] = Object.entries(keyTypes).find(([, code]) => code === message.type) ?? [];
  if (type === undefined) throw new InvalidKeyError('invalid or unsupported key type');
  const { data } = message;
  if (type === 'ed25519' && data.length !== 64 && data.length !== 96)
    throw new InvalidKeyError(`expected ed25519 data size to be 64 or 96, got ${data.length}`);
  if (type === 'secp256k1' && data.length !== 32) throw new InvalidKeyError('expected secp256k1 data size to be 32');
  const key = usable(() => importPrivate(type as KeyType, data));
  assertRsaBits(key.privateKey);
  // Go's decoder stores the public key beside the seed and compares nothing; a name of another key would never verify.
  if (type === 'ed25519' && !Buffer.from(data.subarray(32, 64)).equals(Buffer.from(key.publicKey).subarray(-32)))
    throw new InvalidKeyError('the public half of the ed25519 key is not that of its seed');
  return key;
}

function importPrivate(type: KeyType, data: Uint8Array): IpnsKey {
  switch (type) {
    case 'ed25519':
      return keyOf(type, der(Buffer.concat([pkcs8Ed25519, data.subarray(0, 32)]), 'pkcs8'));
    case 'secp256k1':
      return keyOf(type, der(Buffer.concat([sec1Secp256k1.before, data, sec1Secp256k1.after]), 'sec1'));
    case 'ecdsa':
      return keyOf(type, der(Buffer.from(data), 'sec1'));
    case 'rsa':
      return keyOf(type, der(Buffer.from(data), 'pkcs1'));
  }
}

function der(key: Buffer, type: 'pkcs1' | 'pkcs8' | 'sec1'): KeyObject {
  return createPrivateKey({ key, format: 'der', type });
}

function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidKeyError(error instanceof Error ? error.message : String(error), error);
  }
}

function assertRsaBits({ asymmetricKeyDetails: { modulusLength } = {} }: KeyObject): void {
  if (modulusLength !== undefined && modulusLength > limits.rsaBitsMax)
    throw new InvalidKeyError(`rsa keys must be <= ${limits.rsaBitsMax} bits`);
}

/** Characters of the shortest private key, the 32 bytes of Ed25519, in its shortest encoding. */
const shortestKey = 32;

/** Decodes an unencrypted PKCS #8 key in PEM, as OpenSSL writes it. @throws IPNS_KEY_INVALID */
export function decodePemKey(text: string): IpnsKey {
  const [, label] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text) ?? [];
  if (label === undefined) {
    // Kubo repeats every text here. A long one can be a key in another encoding, which must not reach messages and logs.
    const repeated = text.length < shortestKey ? `:\n${text}` : '';
    throw new InvalidKeyError(`PEM block not found in input data${repeated}`);
  }
  if (label !== 'PRIVATE KEY') throw new InvalidKeyError(`expected PRIVATE KEY type in PEM block but got: ${label}`);
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (error) {
    throw new InvalidKeyError(`parsing PKCS8 format: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  assertRsaBits(key);
  const { asymmetricKeyType, asymmetricKeyDetails } = key;
  if (asymmetricKeyType === 'ed25519' || asymmetricKeyType === 'rsa') return keyOf(asymmetricKeyType, key);
  if (asymmetricKeyType === 'ec')
    return keyOf(asymmetricKeyDetails?.namedCurve === 'secp256k1' ? 'secp256k1' : 'ecdsa', key);
  throw new InvalidKeyError(`parsing PKCS8 format: keys of type ${String(asymmetricKeyType)} have no libp2p form`);
}

/** Encodes a private key as libp2p does. */
export function encodeIpnsKey({ type, privateKey, publicKey }: IpnsKey): Uint8Array {
  return encodeProtobuf([
    [1, BigInt(keyTypes[type])],
    [2, privateData(type, privateKey, publicKey)],
  ]);
}

function privateData(type: KeyType, key: KeyObject, publicKey: Uint8Array): Uint8Array {
  switch (type) {
    case 'ed25519':
      return Buffer.concat([key.export({ format: 'der', type: 'pkcs8' }).subarray(-32), publicKey.subarray(-32)]);
    case 'secp256k1':
      return Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
    case 'ecdsa':
      return key.export({ format: 'der', type: 'sec1' });
    case 'rsa':
      return key.export({ format: 'der', type: 'pkcs1' });
  }
}
