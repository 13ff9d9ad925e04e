import { quantity } from '@cairn/block-model';
import type { Chain } from '../chains/chain.ts';
import { hasHeight, reachHeight } from '../chains/reach-height.ts';
import { TransportError } from './transport-error.ts';

/**
 * Header field of a request and its answer: the number of the newest block that the client has seen, and the newest one of the
 * chain before the request ran. Replicas of a gateway follow their source by themselves, so that the next request of a client
 * may reach one with an older head. With this field it waits, and is never answered from an older head.
 */
export const latestBlockField = 'cairn-latest-block';

/** Number of a block in the form of JSON-RPC (`0x1b4`) or in decimal digits, up to 2^64. */
const number = /^(0x[0-9a-f]{1,16}|\d{1,19})$/i;

export interface LatestBlockOptions {
  readonly waitMs: number;
  /** Provides the abort signal on demand. */
  readonly source: { readonly signal: AbortSignal };
}

/**
 * Waits until the chain has the block that a client has seen.
 * @returns a promise only if it has to wait
 * @throws TransportError 400 for a malformed number, 503 if the chain does not reach it in time
 */
export function requireLatestBlock(chain: Chain, seen: string, options: LatestBlockOptions): Promise<void> | undefined {
  if (!number.test(seen))
    throw new TransportError({
      status: 400,
      name: 'request',
      message: `The header Cairn-Latest-Block is not the number of a block. Send a result of eth_blockNumber, such as 0x1b4.`,
    });
  const wanted = BigInt(seen);
  if (hasHeight(chain, wanted)) return undefined;
  return reach(chain, wanted, options);
}

async function reach(chain: Chain, wanted: bigint, { waitMs, source }: LatestBlockOptions): Promise<void> {
  if (await reachHeight(chain, wanted, { waitMs, signal: source.signal })) return;
  const head = chain.reader.headOrNone;
  const has = head === undefined ? 'has no block yet' : `has block ${head.number}`;
  throw new TransportError({
    status: 503,
    name: 'server',
    message: `The network ${chain.network.name} ${has}, and block ${wanted} was requested by Cairn-Latest-Block. Send the request again.`,
    headers: { 'retry-after': '1' },
  });
}

/** The value of the field in an answer. */
export function latestBlockOf({ reader: { headOrNone: head } }: Chain): string | undefined {
  return head && quantity(head.number);
}
