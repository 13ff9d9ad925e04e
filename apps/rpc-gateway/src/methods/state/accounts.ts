import { bytesFromHex, hexFromBytes, quantity } from '@cairn/block-model';
import { optionalBlockIdParam } from '../../block-id.ts';
import { requireState } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { requireOpenAccount } from '../open-account.ts';
import { addressParam } from '../params.ts';

export const ethGetBalance = define({
  name: 'eth_getBalance',
  summary: 'Returns the balance of an account after a block, in wei.',
  params: [addressParam, optionalBlockIdParam],
  result: 'A quantity.',
  reveals: 'accounts',
  handle([address, id], context) {
    const { state } = requireState(context, id);
    requireOpenAccount(context, state, address);
    return quantity(state.getAccount(bytesFromHex(address))?.balance ?? 0n);
  },
});

export const ethGetTransactionCount = define({
  name: 'eth_getTransactionCount',
  summary: 'Returns the nonce of an account after a block: the number of transactions that it has sent.',
  params: [addressParam, optionalBlockIdParam],
  result: 'A quantity.',
  reveals: 'accounts',
  handle([address, id], context) {
    const { state } = requireState(context, id);
    requireOpenAccount(context, state, address);
    return quantity(state.getAccount(bytesFromHex(address))?.nonce ?? 0n);
  },
});

export const ethGetCode = define({
  name: 'eth_getCode',
  summary: 'Returns the code of an account after a block, verified against its hash.',
  params: [addressParam, optionalBlockIdParam],
  result: 'The bytes of the code; "0x" if there is none.',
  cost: 2,
  reveals: { contracts: ([address]) => [address] },
  handle([address, id], context) {
    const { state } = requireState(context, id);
    const account = state.getAccount(bytesFromHex(address));
    return account ? hexFromBytes(state.getCode(account.codeHash)) : '0x';
  },
});
