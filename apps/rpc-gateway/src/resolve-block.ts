import type { Block, Header, Hex, StateReader } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, isPending } from './block-id.ts';
import type { Chain } from './chains/chain.ts';

/** The part of a request context that blocks are resolved in. */
export interface ChainScope {
  readonly chain: Chain;
}

/** Resolves an id to a hash. Returns `undefined` if the chain has no such block, as for the pending block. */
export function findBlock({ chain: { reader } }: ChainScope, id: BlockId): Hex | undefined {
  if ('tag' in id) return id.tag === 'pending' ? undefined : reader.blockByTag(id.tag).hash;
  if ('number' in id) return reader.hashByNumber(id.number);
  return reader.header(id.hash)?.hash;
}

/**
 * Reads the block of an id. Returns `undefined` if the chain has no such block.
 * @throws RpcError if the id requires a canonical block and the hash is not canonical
 */
export function findWholeBlock(scope: ChainScope, id: BlockId): Block | undefined {
  const hash = findBlock(scope, id);
  if (hash === undefined) return undefined;
  requireCanonical(scope, id);
  return scope.chain.reader.block(hash);
}

function requireCanonical({ chain }: ChainScope, id: BlockId): void {
  if ('hash' in id && id.requireCanonical && !chain.reader.isCanonical(id.hash))
    throw new RpcError('server', 'hash is not currently canonical');
}

/** Opens the state after the block of an id. @throws RpcError in geth's words if the block is unknown or its state is not kept */
export function requireState(
  scope: ChainScope,
  id: BlockId = { tag: 'latest' },
): { readonly header: Header; readonly state: StateReader } {
  const header = requireHeader(scope, id);
  const state = scope.chain.state.stateAt(header.hash);
  if (state === undefined) throw stateUnavailable(header);
  return { header, state };
}

/**
 * Checks that a network is imported, for methods that list the keys of a trie: proofs of upstreams name single keys only.
 * @throws RpcError for a network with upstreams
 */
export function requireImported({ chain }: ChainScope, method: string): void {
  if (chain.upstreams === undefined) return;
  throw new RpcError(
    'server',
    `${method} is not available on the network ${chain.network.name}, since no proof covers a list of keys. Use an imported network.`,
  );
}

/** geth's error for a state that is not kept. */
export function stateUnavailable({ hash, number, stateRoot }: Header): RpcError {
  const root = stateRoot.slice(2);
  return new RpcError(
    'server',
    `historical state ${root} is not available. The state after block ${number} (${hash}) is not kept.`,
  );
}

/**
 * Reads the header of an id. The pending block has the header of the head here, since it changes no account.
 * @throws RpcError in geth's words if the chain has no such block
 */
export function requireHeader(scope: ChainScope, id: BlockId): Header {
  const { reader } = scope.chain;
  const hash = findBlock(scope, isPending(id) ? { tag: 'latest' } : id);
  const header = hash && reader.header(hash);
  if (!header)
    throw new RpcError(
      'server',
      'hash' in id
        ? `header for hash not found. This chain has no block ${id.hash}.`
        : `header not found. The newest block is ${reader.head.number}.`,
    );
  requireCanonical(scope, id);
  return header;
}
