import { bytesFromHex, hexFromBytes, quantity } from '@cairn/block-model';
import { blockIdParam } from '../../block-id.ts';
import { requireHeader, stateUnavailable } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { addressParam } from '../params.ts';

export const ethGetAccount = define({
  name: 'eth_getAccount',
  summary: 'Returns an account after a block, in the format of reth. geth 1.17 does not have this method.',
  params: [addressParam, blockIdParam],
  result: 'An object with balance, codeHash, nonce and storageRoot, or null if the state has no such account.',
  errors: ['server'],
  cost: 20,
  reveals: { contracts: ([address]) => [address] },
  handle([address, id], context) {
    const header = requireHeader(context, id);
    const proof = context.chain.state.proof(header.hash, bytesFromHex(address), []);
    if (proof === undefined) throw stateUnavailable(header);
    const { account, storageRoot } = proof;
    if (account === undefined) return null;
    return {
      balance: quantity(account.balance),
      codeHash: hexFromBytes(account.codeHash),
      nonce: quantity(account.nonce),
      storageRoot: hexFromBytes(storageRoot),
    };
  },
});
