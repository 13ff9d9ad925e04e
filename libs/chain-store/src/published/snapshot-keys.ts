import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** ASN.1 heads of Ed25519 keys in PKCS #8 and SPKI (RFC 8410), which 32 bytes follow. */
const privateHead = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicHead = Buffer.from('302a300506032b6570032100', 'hex');
const publicKeyPattern = /^[0-9a-f]{64}$/;

/** Prefix of the signed bytes, so that a signature is valid for no other purpose. */
const prefix = 'cairn published snapshot 1\n';

/** Signs what a deployment publishes (Ed25519, RFC 8032). */
export interface SnapshotSigner {
  /** 64 hexadecimal digits. */
  readonly publicKey: string;
  /** Signs a statement. */
  sign(statement: string): string;
}

/** Creates the signer of a deployment. `seed` has 32 bytes, derived from a secret that the deployment shares. */
export function snapshotSigner(seed: Uint8Array): SnapshotSigner {
  const key = createPrivateKey({ key: Buffer.concat([privateHead, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(publicHead.length);
  return {
    publicKey: publicKey.toString('hex'),
    sign: (statement) => sign(null, Buffer.from(prefix + statement), key).toString('base64url'),
  };
}

/** Reports whether a text is a public key. */
function isSnapshotPublicKey(text: string): boolean {
  return publicKeyPattern.test(text);
}

/** Reports whether the owner of a public key has signed a statement. */
export function isSignedBy(publicKey: string, statement: string, signature: string): boolean {
  if (!isSnapshotPublicKey(publicKey)) return false;
  return verify(null, Buffer.from(prefix + statement), keyOf(publicKey), Buffer.from(signature, 'base64url'));
}

function keyOf(publicKey: string): KeyObject {
  const key = Buffer.concat([publicHead, Buffer.from(publicKey, 'hex')]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}
