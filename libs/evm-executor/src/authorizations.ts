import {
  type Authorization,
  bytesFromBigint,
  bytesFromHex,
  encodeRlp,
  type Hex,
  hexFromBytes,
  keccak256,
  recoverPublicKey,
} from '@cairn/block-model';
import { concatBytes } from '@cairn/platform';
import type { WorldState } from './world-state.ts';

const delegationPrefix = 'ef0100';
const newAccountRefund = 12_500n;
const nonceMax = 2n ** 64n - 1n;
const signatureSMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const noAddress: Hex = `0x${'00'.repeat(20)}`;

/** The account that an account delegates to (EIP-7702), or `undefined`. */
export function delegationOf(code: Uint8Array): Uint8Array | undefined {
  const isDelegation = code.length === 23 && hexFromBytes(code.subarray(0, 3)) === `0x${delegationPrefix}`;
  return isDelegation ? code.subarray(3) : undefined;
}

/**
 * Sets the code of the accounts that signed. Invalid authorizations are passed over, as EIP-7702 wants it.
 * @returns the gas to refund, and the accounts that are warm from now on
 */
export function applyAuthorizations(
  world: WorldState,
  chainId: bigint,
  authorizations: readonly Authorization[],
): { readonly refund: bigint; readonly warm: readonly Hex[] } {
  let refund = 0n;
  const warm: Hex[] = [];
  for (const authorization of authorizations) {
    const authority = authorityOf(authorization, chainId);
    if (authority === undefined) continue;
    warm.push(hexFromBytes(authority));
    const code = world.getCode(authority);
    if (code.length > 0 && delegationOf(code) === undefined) continue;
    if (world.getNonce(authority) !== authorization.nonce) continue;
    if (world.getAccount(authority) !== undefined) refund += newAccountRefund;
    const { address, nonce } = authorization;
    world.updateAccount(authority, { nonce: nonce + 1n });
    const target = address === noAddress ? '' : delegationPrefix + address.slice(2);
    world.setCode(authority, bytesFromHex(`0x${target}`));
  }
  return { refund, warm };
}

/** Recovers the signer of an authorization; undefined where it is for another chain, spent, or not signed. */
export function authorityOf(authorization: Authorization, chainId: bigint): Uint8Array | undefined {
  const { chainId: signedFor, nonce } = authorization;
  if ((signedFor !== 0n && signedFor !== chainId) || nonce >= nonceMax) return undefined;
  return signerOfAuthorization(authorization);
}

/** The account that signed an authorization, for whatever chain; `undefined` for no signature. */
export function signerOfAuthorization(authorization: Authorization): Uint8Array | undefined {
  const { chainId: signedFor, nonce, yParity, r, s, address } = authorization;
  if (yParity > 1n || s > signatureSMax) return undefined;
  // r is below 2^256 for all that were decoded; what is not a number of the curve is of nobody.
  const signature = bytesFromHex(`0x${digitsOf(r)}${digitsOf(s)}`);
  const message = encodeRlp([bytesFromBigint(signedFor), bytesFromHex(address), bytesFromBigint(nonce)]);
  const hash = keccak256(concatBytes([Uint8Array.of(magic), message]));
  const publicKey = signature.length === 64 ? recoverPublicKey(hash, signature, Number(yParity)) : undefined;
  return publicKey && keccak256(publicKey).subarray(12);
}

/** What is signed begins with it (EIP-7702). */
const magic = 0x05;
const digitsOf = (word: bigint) => word.toString(16).padStart(64, '0');
