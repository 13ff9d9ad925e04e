import type { AccountProof } from '@cairn/block-model';
import { bigintFromBytes, bytesFromHex, type Hex, hexFromBytes, quantity } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { isPending, optionalBlockIdParam } from '../../block-id.ts';
import { eventLoop } from '../../event-loop.ts';
import { paramSchemas } from '../../param-schemas.ts';
import { requireHeader, stateUnavailable } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { onceIn } from '../handle-over-upstreams.ts';
import { addressParam, parseItems, parseText } from '../params.ts';
import { decodeStorageKey } from './storage-key.ts';

type StorageKey = ReturnType<typeof decodeStorageKey>;

const slotsMax = 1024;
/** Slots that are proved between two checks of the time slice. */
const slotsPerStep = 32;
/** The proof of a slot takes about as long as 10,000 gas of execution. */
const creditsPerSlot = 1;
/** Code hash and storage root of an absent account: docs/decisions/proof-of-absent-account.md. */
const absentHash: Hex = `0x${'00'.repeat(32)}`;

export const ethGetProof = define({
  name: 'eth_getProof',
  summary:
    'Returns an account and slots of its storage after a block, with Merkle proofs from the state root (EIP-1186). An absent account has zeros as codeHash and storageHash.',
  params: [
    addressParam,
    {
      name: 'slots',
      summary: `a list of up to ${slotsMax} slots.`,
      schema: paramSchemas.list,
      parse: (field: string, value: unknown) => parseItems(field, value, '[]string', parseText),
    },
    optionalBlockIdParam,
  ],
  result: 'The account and each slot, with a proof for each.',
  errors: ['server'],
  cost: 20,
  surcharge: `and ${creditsPerSlot} for each slot beyond ${slotsPerStep}`,
  reveals: { contracts: ([address]) => [address] },
  handle([address, given, id], context) {
    if (given.length > slotsMax)
      throw new RpcError('params', `too many storage keys requested (max ${slotsMax}, got ${given.length})`);
    const slots = given.map(decodeStorageKey);
    if (id !== undefined && isPending(id))
      throw new RpcError('server', 'missing trie node. The state of the pending block is not stored; use latest.');
    const header = requireHeader(context, id ?? { tag: 'latest' });
    const prove = (some: readonly StorageKey[]) => {
      const keys = some.map(({ bytes }) => bytes);
      const proof = context.chain.state.proof(header.hash, bytesFromHex(address), keys);
      if (proof === undefined) throw stateUnavailable(header);
      return proof;
    };
    const first = slots.slice(0, slotsPerStep);
    const proof = prove(first);
    const { account, accountNodes, storageRoot } = proof;
    const resultOf = (storageProof: readonly object[]) => ({
      address,
      accountProof: accountNodes.map(hexFromBytes),
      balance: quantity(account?.balance ?? 0n),
      codeHash: account ? hexFromBytes(account.codeHash) : absentHash,
      nonce: quantity(account?.nonce ?? 0n),
      storageHash: account ? hexFromBytes(storageRoot) : absentHash,
      storageProof,
    });
    const proofs = storageProofs(first, proof);
    if (slots.length <= slotsPerStep) return resultOf(proofs);
    const more = (slots.length - slotsPerStep) * creditsPerSlot;
    return onceIn(context, 'credits', () => context.meter.takeMore('eth_getProof', more))
      .then(() => proveRest(slots, proofs, (some) => storageProofs(some, prove(some))))
      .then(resultOf);
  },
});

/** Proves the remaining slots in time slices. The trie of a block does not change meanwhile. */
async function proveRest(
  slots: readonly StorageKey[],
  proofs: readonly object[],
  prove: (some: readonly StorageKey[]) => readonly object[],
): Promise<readonly object[]> {
  const all = [...proofs];
  for (let at = proofs.length; at < slots.length; at += slotsPerStep) {
    while (eventLoop.isSliceOver) await eventLoop.nextSlice();
    all.push(...prove(slots.slice(at, at + slotsPerStep)));
  }
  return all;
}

function storageProofs(slots: readonly StorageKey[], proof: AccountProof): readonly object[] {
  return proof.slots.map(({ value, nodes }, index) => ({
    key: slots[index]?.text,
    value: quantity(bigintFromBytes(value)),
    proof: nodes.map(hexFromBytes),
  }));
}
