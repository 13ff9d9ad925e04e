import { bigintFromBytes, bytesFromHex, type Hex, hexFromBytes, quantity } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { isPending, optionalBlockIdParam, requireHeader, stateUnavailable } from '../../block-param.ts';
import { define } from '../define.ts';
import { addressParam, parseItems, parseText } from '../params.ts';
import { decodeStorageKey } from './storage-key.ts';

const slotsMax = 1024;
/** Code hash and storage root of an account that is not in the state: docs/decisions/proof-of-absent-account.md. */
const absentHash: Hex = `0x${'00'.repeat(32)}`;

export const ethGetProof = define({
  name: 'eth_getProof',
  summary:
    'An account and slots of its storage after a block, with proofs down from the state root (EIP-1186). An account that is not in the state has zeros as codeHash and storageHash.',
  params: [
    addressParam,
    {
      name: 'slots',
      summary: `a list of slots, ${slotsMax} at most.`,
      parse: (field: string, value: unknown) => parseItems(field, value, '[]string', parseText),
    },
    optionalBlockIdParam,
  ],
  result: 'The account with its proof, and each slot with its own.',
  errors: ['server'],
  cost: 20,
  reveals: { contracts: ([address]) => [address] },
  handle([address, given, id], context) {
    if (given.length > slotsMax)
      throw new RpcError('params', `too many storage keys requested (max ${slotsMax}, got ${given.length})`);
    const slots = given.map(decodeStorageKey);
    if (id !== undefined && isPending(id))
      throw new RpcError('server', 'missing trie node. The state of the pending block is not kept; ask for latest.');
    const header = requireHeader(context, id ?? { tag: 'latest' });
    const keys = slots.map(({ bytes }) => bytes);
    const proof = context.chain.store.proof(header.hash, bytesFromHex(address), keys);
    if (proof === undefined) throw stateUnavailable(header);
    const { account, accountNodes, storageRoot } = proof;
    return {
      address,
      accountProof: accountNodes.map(hexFromBytes),
      balance: quantity(account?.balance ?? 0n),
      codeHash: account ? hexFromBytes(account.codeHash) : absentHash,
      nonce: quantity(account?.nonce ?? 0n),
      storageHash: account ? hexFromBytes(storageRoot) : absentHash,
      storageProof: proof.slots.map(({ value, nodes }, index) => ({
        key: slots[index]?.text,
        value: quantity(bigintFromBytes(value)),
        proof: nodes.map(hexFromBytes),
      })),
    };
  },
});
