import { blockFromJson, encodeBlock, type Header, type Hex, headerFromJson, type Json } from '@cairn/block-model';
import { BlockRefusedError } from '../errors.ts';
import { NodeError, type RpcClient } from './rpc-client.ts';

/** Requests of a follower to an execution node. */
export interface ExecutionNode {
  chainId(signal: AbortSignal): Promise<bigint>;
  /** Returns the header at a height or tag, with its hash computed from the fields; `undefined` when the node has none. */
  header(block: bigint | 'latest' | 'safe' | 'finalized', signal: AbortSignal): Promise<Header | undefined>;
  /** Returns the RLP of the block at a height, unchecked. */
  block(number: bigint, signal: AbortSignal): Promise<Uint8Array>;
}

const methodUnknown = new Set([-32601, -32600, 403]);

/** Creates an execution node over a JSON-RPC client. */
export function createExecutionNode(client: RpcClient): ExecutionNode {
  // Most public nodes do not serve debug methods; blocks are then encoded from their JSON.
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
        // Nodes without finality refuse the tags `safe` and `finalized`.
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
      if (json === null) throw new BlockRefusedError({ number, hash: undefined }, 'the node no longer has it');
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
