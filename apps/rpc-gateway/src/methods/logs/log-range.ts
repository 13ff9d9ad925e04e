import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, isPending } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { findBlock } from '../../resolve-block.ts';

/** Heights of a log filter with a range. */
export interface LogRange {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Resolves the range of a log filter.
 * @throws RpcError in geth's words for a range that the chain does not have, or that is longer than `blocksMax`
 */
export function logRange(
  blocks: { readonly from: BlockId; readonly to: BlockId },
  context: RequestContext,
  blocksMax: bigint,
): LogRange {
  if (isPending(blocks.from) || isPending(blocks.to))
    throw new RpcError('params', 'pending logs are not supported. Use latest; the pending block is empty.');
  const { number: head } = context.chain.reader.head;
  const [from, to] = [numberOf(blocks.from, context), numberOf(blocks.to, context)];
  // Matches geth: latest counts as higher than every number, even that of the head, since the head may have moved.
  if (from > to || (isLatest(blocks.from) && !isLatest(blocks.to)))
    throw new RpcError(
      'params',
      `invalid block range params. The range is from ${from} to ${to}; latest is above every number.`,
    );
  if (to > head)
    throw new RpcError('params', `block range extends beyond current head block. The newest block is ${head}.`);
  if (to - from >= blocksMax)
    throw new RpcError(
      'limit',
      `exceed maximum block range ${blocksMax}. The range has ${to - from + 1n} blocks; split it into several requests.`,
      { blocksMax: Number(blocksMax) },
    );
  return { from, to };
}

function isLatest(id: BlockId): boolean {
  return 'tag' in id && id.tag === 'latest';
}

function numberOf(id: BlockId, context: RequestContext): bigint {
  if ('number' in id) return id.number;
  const hash = findBlock(context, id);
  return (hash && context.chain.reader.header(hash)?.number) ?? 0n;
}
