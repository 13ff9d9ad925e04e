import { bytesFromHex, type Header, type Hex, hexFromBytes } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { verifyProof } from '@cairn/trie';
import { VerifyError, withCode } from './errors.ts';
import { verifyLimits } from './limits.ts';
import { accountFromRlp, type ProvenAccount, slotFromRlp } from './witness/witness-state.ts';

/** A verified answer of eth_getProof. */
export interface VerifiedAccount {
  /** `undefined` for an account that does not exist. */
  readonly account: ProvenAccount | undefined;
  /** Values in the order of the requested slots, 32 bytes each. */
  readonly slots: readonly Hex[];
}

/**
 * Verifies an answer of eth_getProof (EIP-1186). Only the proofs are read: the other fields repeat them.
 * @param header a verified header
 * @throws ANSWER_MALFORMED, PROOF_INVALID
 */
export function verifyAccount(
  json: unknown,
  { header, address, slots = [] }: { readonly header: Header; readonly address: Hex; readonly slots?: readonly Hex[] },
): VerifiedAccount {
  const { accountProof, storageProof } = (json ?? {}) as Readonly<Record<string, unknown>>;
  const value = proven(bytesFromHex(header.stateRoot), bytesFromHex(address), accountProof);
  const account = value && withCode('PROOF_INVALID', 'The account cannot be decoded', () => accountFromRlp(value));
  if (!Array.isArray(storageProof) || storageProof.length !== slots.length)
    throw new VerifyError('ANSWER_MALFORMED', `The proof does not have ${slots.length} slots.`);
  return {
    account,
    slots: slots.map((slot, index) => {
      // The storage of an absent account is empty; its proofs prove nothing.
      if (account === undefined) return wordOf(new Uint8Array(0));
      const { proof } = (storageProof[index] ?? {}) as { readonly proof?: unknown };
      const found = proven(account.storageRoot, bytesFromHex(slot), proof);
      return wordOf(found === undefined ? new Uint8Array(0) : slotFromRlp(found));
    }),
  };
}

function proven(root: Uint8Array, name: Uint8Array, nodes: unknown): Uint8Array | undefined {
  if (!Array.isArray(nodes)) throw new VerifyError('ANSWER_MALFORMED', 'A proof is no list of nodes.');
  return withCode('PROOF_INVALID', 'A proof is invalid', () =>
    verifyProof({ root, key: keccak256(name), nodes: nodes.slice(0, nodesMax).map(nodeOf) }),
  );
}

/** One more than a path to a hash can have, so that a longer proof is refused. */
const nodesMax = 66;

function nodeOf(node: unknown): Uint8Array {
  if (typeof node !== 'string' || node.length % 2 !== 0 || !/^0x[0-9a-f]*$/i.test(node) || node.length > nodeDigitsMax)
    throw new VerifyError('ANSWER_MALFORMED', 'A node of a proof is no hex.');
  return bytesFromHex(node);
}

const nodeDigitsMax = 2 * verifyLimits.nodeBytesMax + 2;

function wordOf(value: Uint8Array): Hex {
  return `0x${hexFromBytes(value).slice(2).padStart(64, '0')}`;
}
