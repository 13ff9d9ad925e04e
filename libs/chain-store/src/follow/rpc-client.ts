import { CairnError } from '@cairn/errors';
import WebSocket from 'ws';

/** Thrown for a failed request to a node. The message never contains the URL, which may contain a key. */
export class NodeError extends CairnError<'NODE_UNAVAILABLE' | 'NODE_REFUSED'> {
  /** JSON-RPC error code of NODE_REFUSED. */
  readonly rpcCode: number | undefined;

  constructor(code: 'NODE_UNAVAILABLE' | 'NODE_REFUSED', host: string, reason: string, rpcCode?: number) {
    super(code, `The node at ${host} ${reason}.`, { hint: 'Check source.rpc of the network.', details: { host } });
    this.rpcCode = rpcCode;
  }
}

/** Sends requests to a node. Concurrent requests are allowed. */
export interface RpcClient {
  /** @throws NODE_UNAVAILABLE, NODE_REFUSED, the reason of the signal */
  request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>;
  close(): void;
}

const timeoutMs = 30_000;
/** Largest response. A block with its transactions has a few megabytes. */
const answerBytesMax = 256 * 1024 * 1024;

/** Creates a client for a URL of http, https, ws or wss. */
export function createRpcClient(url: string): RpcClient {
  return /^wss?:/.test(url) ? new WebSocketClient(url) : new HttpClient(url);
}

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: number; readonly message?: string };
}

function resultOf(host: string, method: string, answer: Answer): unknown {
  const { error } = answer;
  if (error === undefined || error === null) return answer.result;
  const message = String(error.message ?? 'an error').slice(0, 300);
  throw new NodeError('NODE_REFUSED', host, `refuses ${method}: ${message}`, error.code);
}

class HttpClient implements RpcClient {
  readonly #url: string;
  readonly #host: string;
  readonly #headers: Record<string, string> = { 'content-type': 'application/json' };

  constructor(url: string) {
    const parsed = new URL(url);
    this.#host = parsed.host;
    if (parsed.username !== '') {
      const credentials = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
      this.#headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
      parsed.username = '';
      parsed.password = '';
    }
    this.#url = parsed.href;
  }

  async request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    let answer: Answer;
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const text = await readText(response);
      if (!response.ok && !text.startsWith('{')) throw new Error(`answers with status ${response.status}`);
      answer = JSON.parse(text) as Answer;
    } catch (error) {
      signal.throwIfAborted();
      throw new NodeError('NODE_UNAVAILABLE', this.#host, reasonOf(error));
    }
    return resultOf(this.#host, method, answer);
  }

  close(): void {}
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > answerBytesMax) throw new Error(`answers with more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Client over one connection, which opens with the first request and reopens after a failure. */
class WebSocketClient implements RpcClient {
  readonly #url: string;
  readonly #host: string;
  #socket: Promise<WebSocket> | undefined;
  readonly #waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  #nextId = 1;

  constructor(url: string) {
    this.#url = url;
    this.#host = new URL(url).host;
  }

  async request(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      this.#socket ??= this.#connect();
      const socket = await this.#socket;
      const answer = await new Promise<Answer>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        ended.addEventListener('abort', () => reject(new Error('does not answer in time')), { once: true });
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), (error) => error && reject(error));
      });
      return resultOf(this.#host, method, answer);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NodeError) throw error;
      throw new NodeError('NODE_UNAVAILABLE', this.#host, reasonOf(error));
    } finally {
      this.#waiting.delete(id);
    }
  }

  #connect(): Promise<WebSocket> {
    const socket = new WebSocket(this.#url, { maxPayload: answerBytesMax, handshakeTimeout: timeoutMs });
    socket.on('message', (data) => {
      try {
        const answer = JSON.parse(data.toString()) as Answer;
        if (typeof answer.id === 'number') this.#waiting.get(answer.id)?.resolve(answer);
      } catch {
        socket.terminate();
      }
    });
    const lose = (error: Error) => {
      this.#socket = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
    };
    socket.on('close', () => lose(new Error('closed the connection')));
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket));
      socket.on('error', (error) => {
        lose(error);
        reject(error);
      });
    });
  }

  close(): void {
    void this.#socket?.then((socket) => socket.close()).catch(() => {});
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'fails';
  if (error.name === 'TimeoutError') return 'does not answer in time';
  if (error instanceof SyntaxError) return 'does not answer in JSON';
  const code = (error.cause as { readonly code?: string } | undefined)?.code ?? (error as { code?: string }).code;
  if (code !== undefined) return `cannot be reached (${code})`;
  return /^(answers|closed|does)/.test(error.message) ? error.message : 'cannot be reached';
}
