import { nextTurn } from '@cairn/platform';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import type { SyncAggregate, SyncCommittee } from './light-client-data.ts';

type Pubkey = ReturnType<typeof bls12_381.longSignatures.aggregatePublicKeys>;

/** Public keys decoded between two turns of the event loop. Decoding one takes 2 to 4 ms, most of it the subgroup check. */
const keysPerTurn = 2;
/** Hash-to-curve suite of Ethereum's signatures (draft-irtf-cfrg-bls-signature, proof of possession). */
const signatureSuite = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';

/** Points of the public keys of the committees in use. A committee has 512 keys and stays for 27 hours. */
const points = new WeakMap<SyncCommittee, Promise<readonly Pubkey[]>>();

/** Numbers of the members that signed. */
export function participants({ bits }: SyncAggregate): number[] {
  const members: number[] = [];
  for (let i = 0; i < bits.length * 8; i++) if (((bits[i >> 3] as number) >> (i & 7)) & 1) members.push(i);
  return members;
}

/** Verifies the aggregate signature of the participating members (`FastAggregateVerify`). */
export async function isSignedBy(
  committee: SyncCommittee,
  aggregate: SyncAggregate,
  message: Uint8Array,
): Promise<boolean> {
  const { longSignatures } = bls12_381;
  try {
    const keys = await pointsOf(committee);
    const signers = participants(aggregate).map((member) => keys[member] as Pubkey);
    const key = longSignatures.aggregatePublicKeys(signers);
    const signature = longSignatures.Signature.fromBytes(aggregate.signature);
    return longSignatures.verify(signature, longSignatures.hash(message, signatureSuite), key);
  } catch {
    // Bytes that are no point of the curve.
    return false;
  }
}

function pointsOf(committee: SyncCommittee): Promise<readonly Pubkey[]> {
  let known = points.get(committee);
  if (known === undefined) {
    known = decompress(committee.pubkeys);
    points.set(committee, known);
    known.catch(() => points.delete(committee));
  }
  return known;
}

async function decompress(pubkeys: readonly Uint8Array[]): Promise<readonly Pubkey[]> {
  const { Point } = bls12_381.G1;
  const decoded: Pubkey[] = [];
  for (const pubkey of pubkeys) {
    decoded.push(Point.fromBytes(pubkey));
    if (decoded.length % keysPerTurn === 0) await nextTurn();
  }
  return decoded;
}
