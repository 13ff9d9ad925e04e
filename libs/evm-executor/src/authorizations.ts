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
import type { WorldState } from '@cairn/evm';
import { delegationOf, delegationPrefix, zeroAddress } from '@cairn/evm';
import { concatBytes } from '@cairn/platform';

const newAccountRefund = 12_500n;
const nonceMax = 2n ** 64n - 1n;
const signatureSMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/**
 * Sets the code of the signers of authorizations. As EIP-7702 requires, invalid authorizations are skipped.
 * @returns gas to refund, and the accounts that become warm
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
    const target = address === zeroAddress ? '' : delegationPrefix + address.slice(2);
    world.setCode(authority, bytesFromHex(`0x${target}`));
  }
  return { refund, warm };
}

/** Recovers the signer of an authorization; `undefined` if it is for another chain, has the maximum nonce, or has no valid signature. */
export function authorityOf(authorization: Authorization, chainId: bigint): Uint8Array | undefined {
  const { chainId: signedFor, nonce } = authorization;
  if ((signedFor !== 0n && signedFor !== chainId) || nonce >= nonceMax) return undefined;
  return signerOfAuthorization(authorization);
}

/** Recovers the signer of an authorization for any chain; `undefined` for an invalid signature. */
export function signerOfAuthorization(authorization: Authorization): Uint8Array | undefined {
  const { chainId: signedFor, nonce, yParity, r, s, address } = authorization;
  if (yParity > 1n || s > signatureSMax) return undefined;
  // Decoding bounds r to 256 bits. An r that is not on the curve recovers no signer.
  const signature = bytesFromHex(`0x${digitsOf(r)}${digitsOf(s)}`);
  const message = encodeRlp([bytesFromBigint(signedFor), bytesFromHex(address), bytesFromBigint(nonce)]);
  const hash = keccak256(concatBytes([Uint8Array.of(magic), message]));
  const publicKey = signature.length === 64 ? recoverPublicKey(hash, signature, Number(yParity)) : undefined;
  return publicKey && keccak256(publicKey).subarray(12);
}

/** First byte of the signed message (EIP-7702). */
const magic = 0x05;
const digitsOf = (word: bigint) => word.toString(16).padStart(64, '0');
