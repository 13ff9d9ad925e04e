import { keccak256 } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { bytesFromHexDigits, compareBytes } from '@cairn/platform';
import { proofLimits, verifyProof } from '@cairn/trie';
import { answerInvalid } from '@cairn/upstream';
import { accountFromRlp } from './cached-state.ts';
import type { ProvenAccount } from './proven-account.ts';

/** A verified answer of eth_getProof: the account, and every node of its proofs. */
export interface VerifiedProof {
  readonly account: ProvenAccount | undefined;
  readonly nodes: readonly Uint8Array[];
}

/**
 * Maximum length of code in bytes: the limit proposed in EIP-7907, with a margin. Chains with other rules have shorter
 * code.
 */
const codeBytesMax = 1024 * 1024;

/**
 * Verifies an answer of eth_getProof (EIP-1186) against a state root. Only the proofs are read: the other fields repeat them.
 * @throws UPSTREAM_ANSWER_INVALID
 */
export function verifiedProof(
  result: unknown,
  stateRoot: Uint8Array,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): VerifiedProof {
  if (typeof result !== 'object' || result === null) throw answerInvalid('the proof is not an object');
  const { accountProof, storageProof } = result as { readonly accountProof?: unknown; readonly storageProof?: unknown };
  const accountNodes = nodesOf(accountProof, 'accountProof');
  const account = proven(stateRoot, keccak256(address), accountNodes, 'accountProof');
  const state = account && accountFromRlp(account);
  if (!Array.isArray(storageProof) || storageProof.length !== slots.length)
    throw answerInvalid(`storageProof does not have ${slots.length} entries`);
  const nodes = [...accountNodes];
  for (const [i, slot] of slots.entries()) {
    const { proof } = (storageProof[i] ?? {}) as { readonly proof?: unknown };
    const slotNodes = nodesOf(proof, `storageProof[${i}].proof`);
    // The storage of an absent account is empty, and some nodes prove it by the root node of an empty trie.
    if (state === undefined) continue;
    proven(state.storageRoot, keccak256(slot), slotNodes, `storageProof[${i}].proof`);
    nodes.push(...slotNodes);
  }
  return { account: state, nodes };
}

/** Verifies code against its hash. @throws UPSTREAM_ANSWER_INVALID */
export function verifiedCode(result: unknown, codeHash: Uint8Array): Uint8Array {
  const code = codeOf(result);
  if (compareBytes(keccak256(code), codeHash) !== 0) throw answerInvalid('the code does not have the proven hash');
  return code;
}

/** Parses code of unknown hash. @throws UPSTREAM_ANSWER_INVALID */
export function codeOf(result: unknown): Uint8Array {
  return bytesOf(result, 'the code', codeBytesMax);
}

function proven(root: Uint8Array, key: Uint8Array, nodes: readonly Uint8Array[], name: string): Uint8Array | undefined {
  try {
    return verifyProof({ root, key, nodes });
  } catch (error) {
    if (isCairnError(error, 'PROOF_INVALID')) throw answerInvalid(`${name}: ${error.message}`);
    throw error;
  }
}

function nodesOf(value: unknown, name: string): readonly Uint8Array[] {
  const nodesMax = 2 * proofLimits.keyBytesMax + 1;
  if (!Array.isArray(value) || value.length > nodesMax)
    throw answerInvalid(`${name} is not a list of at most ${nodesMax} nodes`);
  return value.map((node, i) => bytesOf(node, `${name}[${i}]`, proofLimits.nodeBytesMax));
}

function bytesOf(value: unknown, name: string, bytesMax: number): Uint8Array {
  if (
    typeof value !== 'string' ||
    value.length % 2 !== 0 ||
    value.length > 2 + 2 * bytesMax ||
    !/^0x[0-9a-f]*$/i.test(value)
  )
    throw answerInvalid(`${name} is not hex of at most ${bytesMax} bytes`);
  return bytesFromHexDigits(value.slice(2));
}
