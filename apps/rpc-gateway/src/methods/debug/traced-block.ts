import { type Header, type Hex, quantity } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import type { BlockId } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { findBlock, requireHeader } from '../../resolve-block.ts';

/** Resolves the id of a block to trace. @throws RpcError in geth's words if there is no such block */
export function requireTraced(context: RequestContext, id: BlockId): Hex {
  const hash = findBlock(context, id);
  if (hash !== undefined) return hash;
  const name = 'number' in id ? `#${id.number}` : nameOf(id);
  throw new RpcError('server', `block ${name} not found`);
}

/** Reads the header of a block to trace. @throws RpcError if it is unknown, or not canonical although the id requires that */
export function requireTracedHeader(context: RequestContext, id: BlockId): Header {
  if (findBlock(context, id) === undefined) throw new RpcError('server', `block ${nameOf(id)} not found`);
  return requireHeader(context, id);
}

/** The id of a block as geth's messages show it. */
export const nameOf = (id: BlockId): string => ('number' in id ? quantity(id.number) : 'hash' in id ? id.hash : id.tag);
