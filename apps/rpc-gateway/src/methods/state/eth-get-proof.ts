import { bigintFromBytes, bytesFromHex, hexFromBytes, quantity } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { RpcError } from '@cairn/jsonrpc-core';
import { optionalBlockIdParam, requireHeader } from '../../block-param.ts';
import { define } from '../define.ts';
import { addressParam, parseList } from '../params.ts';
import { parseStorageKey } from './storage-key.ts';

const slotsMax = 1024;
const emptyCodeHash = hexFromBytes(keccak256(new Uint8Array(0)));

export const ethGetProof = define({
  name: 'eth_getProof',
  summary: 'An account and slots of its storage after a block, with proofs down from the state root (EIP-1186).',
  params: [
    addressParam,
    {
      name: 'slots',
      summary: `a list of slots, ${slotsMax} at most.`,
      parse: (field: string, value: unknown) => parseList(field, value, slotsMax, parseStorageKey),
    },
    optionalBlockIdParam,
  ],
  result: 'The account with its proof, and each slot with its own.',
  cost: 20,
  handle([address, slots, id], context) {
    const { hash, number } = requireHeader(context, id ?? { tag: 'latest' });
    const keys = slots.map(({ bytes }) => bytes);
    const proof = context.chain.store.proof(hash, bytesFromHex(address), keys);
    if (proof === undefined) throw new RpcError('server', `the state of block ${number} (${hash}) is not kept`);
    const { account, accountNodes, storageRoot } = proof;
    return {
      address,
      accountProof: accountNodes.map(hexFromBytes),
      balance: quantity(account?.balance ?? 0n),
      codeHash: account ? hexFromBytes(account.codeHash) : emptyCodeHash,
      nonce: quantity(account?.nonce ?? 0n),
      storageHash: hexFromBytes(storageRoot),
      storageProof: proof.slots.map(({ value, nodes }, index) => ({
        key: slots[index]?.text,
        value: quantity(bigintFromBytes(value)),
        proof: nodes.map(hexFromBytes),
      })),
    };
  },
});
