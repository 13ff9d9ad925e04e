import { bytesFromHex, type Hex, quantity } from '@cairn/block-model';
import { type AccountNeed, provenStateLimits } from '@cairn/proven-state';
import type { UpstreamPool } from '@cairn/upstream';
import type { HintedCall } from './hinted-job.ts';

/** A hint that takes longer is not worth a wait: the run finds its reads itself. */
const deadlineMs = 1_000;

/**
 * Reads of a message as an upstream names them (eth_createAccessList). Nothing in it is trusted: each read is proven before it is used.
 * Empty where no upstream has the method, or refuses the message.
 */
export async function accessListHint(
  pool: UpstreamPool,
  { from, to, data, value }: HintedCall,
  blockHash: Hex,
  signal: AbortSignal,
): Promise<readonly AccountNeed[]> {
  const message = { from, to, data, ...(value !== undefined && { value: quantity(value) }) };
  try {
    const answer = await pool.request(
      { method: 'eth_createAccessList', params: [message, { blockHash }], parse: needsOf },
      { deadlineMs, signal },
    );
    return answer.value;
  } catch {
    return [];
  }
}

/** Reads the well-formed part of an answer, within the limits of learned reads. */
function needsOf(result: unknown): readonly AccountNeed[] {
  const { accessList } = (result ?? {}) as { readonly accessList?: unknown };
  if (!Array.isArray(accessList)) return [];
  const needs: AccountNeed[] = [];
  let left: number = provenStateLimits.learnedReadsMax;
  for (const entry of accessList) {
    const { address, storageKeys } = (entry ?? {}) as { readonly address?: unknown; readonly storageKeys?: unknown };
    if (left <= 0 || !isHex(address, 20) || !Array.isArray(storageKeys)) break;
    const keys = storageKeys.filter((key) => isHex(key, 32)).slice(0, left);
    left -= keys.length + 1;
    needs.push({ address: bytesFromHex(address), slots: keys.map(bytesFromHex), needsCode: true });
  }
  return needs;
}

function isHex(value: unknown, bytes: number): value is Hex {
  return typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-f]*$/i.test(value);
}
