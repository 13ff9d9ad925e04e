import { blockFromJson, encodeBlock, type Header, type Hex, headerFromJson, type Json } from '@cairn/block-model';
import { BlockRefusedError } from '../errors.ts';
import { NodeError, type RpcClient } from './rpc-client.ts';

/** An execution node as a follower sees it: what it says is its chain. */
export interface ExecutionNode {
  chainId(signal: AbortSignal): Promise<bigint>;
  /** The header at a height or tag, its hash computed from its fields; `undefined` where the node has none. */
  header(block: bigint | 'latest' | 'safe' | 'finalized', signal: AbortSignal): Promise<Header | undefined>;
  /** The block at a height, as RLP. Nothing of it is checked here. */
  block(number: bigint, signal: AbortSignal): Promise<Uint8Array>;
}

const methodUnknown = new Set([-32601, -32600, 403]);

/** A node behind a JSON-RPC client. */
export function createExecutionNode(client: RpcClient): ExecutionNode {
  // Most public nodes do not serve the debug methods; then blocks are put together from their JSON.
  let hasRawBlocks = true;
  return {
    async chainId(signal) {
      return BigInt((await client.request('eth_chainId', [], signal)) as string);
    },
    async header(block, signal) {
      const name = typeof block === 'bigint' ? `0x${block.toString(16)}` : block;
      try {
        const json = await client.request('eth_getBlockByNumber', [name, false], signal);
        return json === null || json === undefined ? undefined : headerFromJson(json as Json);
      } catch (error) {
        // Nodes that know no finality refuse those tags.
        if (
          error instanceof NodeError &&
          error.code === 'NODE_REFUSED' &&
          typeof block === 'string' &&
          block !== 'latest'
        )
          return undefined;
        throw error;
      }
    },
    async block(number, signal) {
      const name = `0x${number.toString(16)}`;
      if (hasRawBlocks) {
        try {
          const raw = (await client.request('debug_getRawBlock', [name], signal)) as string;
          return Buffer.from(raw.slice(2), 'hex');
        } catch (error) {
          if (!(error instanceof NodeError) || !methodUnknown.has(error.rpcCode ?? 0)) throw error;
          hasRawBlocks = false;
        }
      }
      const json = (await client.request('eth_getBlockByNumber', [name, true], signal)) as Json | null;
      if (json === null) throw new BlockRefusedError({ number, hash: undefined }, 'the node does not have it any more');
      const uncleHashes = (json.uncles ?? []) as readonly Hex[];
      const uncles: Header[] = [];
      for (const index of uncleHashes.keys()) {
        const uncle = await client.request(
          'eth_getUncleByBlockNumberAndIndex',
          [name, `0x${index.toString(16)}`],
          signal,
        );
        uncles.push(headerFromJson(uncle as Json));
      }
      return encodeBlock(blockFromJson(json, uncles));
    },
  };
}
