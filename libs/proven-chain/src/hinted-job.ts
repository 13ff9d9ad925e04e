import { bytesFromHex, type Hex } from '@cairn/block-model';
import type { AccountNeed, LearnedCall } from '@cairn/proven-state';

/** Parts of an execution job that say what it probably reads. */
export interface HintedJob {
  readonly kind?: string | undefined;
  readonly blockHash?: Hex;
  readonly call?: HintedCall;
  readonly index?: number | undefined;
  readonly raw?: Uint8Array;
  readonly simulation?: { readonly blocks: readonly { readonly calls?: readonly HintedCall[] }[] };
}

/** Message of a job. */
export interface HintedCall {
  readonly from?: Hex | undefined;
  readonly to?: Hex | undefined;
  readonly data?: Hex | undefined;
  readonly value?: bigint | undefined;
  readonly accessList?: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[] | undefined;
}

const zeroAddress: Hex = `0x${'00'.repeat(20)}`;

/** Messages of a job. A job on a block has none. */
export function callsOf({ call, simulation }: HintedJob): readonly HintedCall[] {
  if (call !== undefined) return [call];
  return simulation?.blocks.flatMap(({ calls = [] }) => calls) ?? [];
}

/** Accounts that a message reads in any case: its sender, its recipient, and the accounts of its access list. */
export function certainNeeds({ from, to, accessList = [] }: HintedCall): readonly AccountNeed[] {
  const needs: AccountNeed[] = [{ address: bytesFromHex(from ?? zeroAddress), slots: [], needsCode: false }];
  if (to !== undefined) needs.push({ address: bytesFromHex(to), slots: [], needsCode: true });
  for (const { address, storageKeys } of accessList)
    needs.push({ address: bytesFromHex(address), slots: storageKeys.map(bytesFromHex), needsCode: true });
  return needs;
}

/** The message for {@link LearnedReads}; `undefined` for a creation. */
export function learnedCall(
  { from, to, data }: HintedCall,
  codeHashOf: (address: Uint8Array) => Uint8Array | undefined,
): LearnedCall | undefined {
  if (to === undefined) return undefined;
  const address = bytesFromHex(to);
  const input = bytesFromHex(data ?? '0x');
  return { codeHash: codeHashOf(address), to: address, from: bytesFromHex(from ?? zeroAddress), input };
}
