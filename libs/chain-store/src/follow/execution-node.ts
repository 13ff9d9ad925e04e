import { blockFromJson, encodeBlock, type Header, type Hex, headerFromJson, type Json } from '@cairn/block-model';
import { answerInvalid, createUpstreamPool, UpstreamError, type UpstreamErrorCode } from '@cairn/upstream';
import { BlockRefusedError } from '../errors.ts';

/** Requests of a follower to an execution node. */
export interface ExecutionNode {
  chainId(signal: AbortSignal): Promise<bigint>;
  /** Returns the header at a height or tag, with its hash computed from the fields; `undefined` when the node has none. */
  header(block: bigint | 'latest' | 'safe' | 'finalized', signal: AbortSignal): Promise<Header | undefined>;
  /** Returns the RLP of the block at a height, unchecked. */
  block(number: bigint, signal: AbortSignal): Promise<Uint8Array>;
  /** Calls the listener when the node reports a head. Returns a function that removes it. */
  onHead?(listener: () => void): () => void;
}

/** An execution node with open connections. */
export interface ConnectedNode extends ExecutionNode {
  close(): Promise<void>;
}

export interface ExecutionNodeOptions {
  /** URL of http, https, ws or wss. It may contain a key, which never appears in errors. */
  readonly url: string;
  /** A node of another chain is not used. */
  readonly chainId: bigint;
}

const limits = {
  /** A block has a few megabytes, and archive nodes answer slowly. */
  attemptMs: 30_000,
  deadlineMs: 60_000,
  answerBytesMax: 256 * 1024 * 1024,
  // A batch of blocks would delay the first one.
  batchMax: 1,
  // There is no other node to use meanwhile.
  isolationMsMin: 1_000,
  isolationMsMax: 60_000,
} as const;
/** The follower polls heads itself. Over WebSocket, this is the interval of checks of the subscription. */
const pollMs = { http: 60_000, webSocket: 2_000 } as const;

/** Codes by which nodes and proxies refuse a method, in addition to -32601. */
const methodRefused = new Set([-32600, 403]);
const isRefusal = (error: unknown, ...codes: readonly UpstreamErrorCode[]): error is UpstreamError =>
  error instanceof UpstreamError && codes.includes(error.code);

/** Creates an execution node over a pool with one upstream: keep-alive, retries, a circuit breaker, heads over WebSocket. */
export function createExecutionNode({ url, chainId }: ExecutionNodeOptions): ConnectedNode {
  const isWebSocket = /^wss?:/.test(url);
  const pool = createUpstreamPool({
    chainId,
    upstreams: [url],
    limits: { ...limits, pollMs: isWebSocket ? pollMs.webSocket : pollMs.http },
  });
  const request = async <T>(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
    parse: (result: unknown) => T,
    mayBeAbsent = false,
  ): Promise<T> => {
    const call = { method, params, parse: (result: unknown) => parsed(method, () => parse(result)), mayBeAbsent };
    return (await pool.request(call, { signal })).value;
  };
  // Most public nodes do not serve debug methods; blocks are then encoded from their JSON.
  let hasRawBlocks = true;
  const rawBlock = async (name: string, signal: AbortSignal): Promise<Uint8Array | undefined> => {
    if (!hasRawBlocks) return undefined;
    try {
      return await request('debug_getRawBlock', [name], signal, bytesIn);
    } catch (error) {
      const isUnknown = isRefusal(error, 'UPSTREAM_REFUSED') && methodRefused.has(error.rpcCode ?? 0);
      if (!isUnknown && !isRefusal(error, 'UPSTREAM_METHOD_UNSUPPORTED')) throw error;
      hasRawBlocks = false;
      return undefined;
    }
  };
  return {
    chainId: (signal) => request('eth_chainId', [], signal, (result) => BigInt(result as string)),
    async header(block, signal) {
      const name = typeof block === 'bigint' ? `0x${block.toString(16)}` : block;
      const isFinality = block === 'safe' || block === 'finalized';
      try {
        const parse = (json: unknown) =>
          json === null || json === undefined ? undefined : headerFromJson(json as Json);
        return await request('eth_getBlockByNumber', [name, false], signal, parse, true);
      } catch (error) {
        if (isRefusal(error, 'UPSTREAM_NOT_FOUND')) return undefined;
        // Nodes without finality refuse these tags.
        if (isFinality && isRefusal(error, 'UPSTREAM_REFUSED', 'UPSTREAM_METHOD_UNSUPPORTED')) return undefined;
        throw error;
      }
    },
    async block(number, signal) {
      const name = `0x${number.toString(16)}`;
      const raw = await rawBlock(name, signal);
      if (raw !== undefined) return raw;
      const json = await request('eth_getBlockByNumber', [name, true], signal, (result) => result as Json | null);
      if (json === null) throw new BlockRefusedError({ number, hash: undefined }, 'the node no longer has it');
      const uncles: Header[] = [];
      for (const index of ((json.uncles ?? []) as readonly Hex[]).keys()) {
        const params = [name, `0x${index.toString(16)}`];
        const parse = (uncle: unknown) => headerFromJson(uncle as Json);
        uncles.push(await request('eth_getUncleByBlockNumberAndIndex', params, signal, parse));
      }
      return encodeBlock(blockFromJson(json, uncles));
    },
    // The heads of an HTTP node are polled by the follower.
    ...(isWebSocket && { onHead: (listener: () => void) => pool.onHead(listener) }),
    close: () => pool.close(),
  };
}

function bytesIn(result: unknown): Uint8Array {
  if (typeof result !== 'string' || !/^0x([0-9a-f]{2})+$/i.test(result)) throw new Error('expected bytes');
  return Buffer.from(result.slice(2), 'hex');
}

/** Reports a result of another form as a wrong answer. */
function parsed<T>(method: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw answerInvalid(`${method} returned another form: ${error instanceof Error ? error.message : String(error)}`);
  }
}
