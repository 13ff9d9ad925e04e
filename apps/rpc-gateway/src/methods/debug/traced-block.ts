import { type Header, type Hex, quantity } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, findBlock, requireHeader } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';

/** The hash of the block meant. @throws RpcError in geth's words for traces where there is none */
export function requireTraced(context: RequestContext, id: BlockId): Hex {
  const hash = findBlock(context, id);
  if (hash !== undefined) return hash;
  const name = 'number' in id ? `#${id.number}` : nameOf(id);
  throw new RpcError('server', `block ${name} not found`);
}

/** The header of the block meant. @throws RpcError where there is none, or it is not canonical and has to be */
export function requireTracedHeader(context: RequestContext, id: BlockId): Header {
  if (findBlock(context, id) === undefined) throw new RpcError('server', `block ${nameOf(id)} not found`);
  return requireHeader(context, id);
}

/** A block as a request names it. */
export const nameOf = (id: BlockId): string => ('number' in id ? quantity(id.number) : 'hash' in id ? id.hash : id.tag);
