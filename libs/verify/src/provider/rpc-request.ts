import { countJsonValues } from '@cairn/platform';
import { VerifyError } from '../errors.ts';
import { verifyLimits } from '../limits.ts';

/** A JSON-RPC request, as EIP-1193 defines it. */
export interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[] | undefined;
}

/** Sends a request to a gateway and returns its result. Nothing of the result is trusted. */
export type RpcRequest = (call: RpcCall) => Promise<unknown>;

/** Error of a request (EIP-1193): code 3 with data for a revert, 4200 for a method that is refused. */
export class ProviderRpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'ProviderRpcError';
    this.code = code;
    this.data = data;
  }
}

export interface HttpRequestOptions {
  /** Default: `globalThis.fetch`. */
  readonly fetch?: typeof fetch;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: 30 s. */
  readonly timeoutMs?: number;
}

/**
 * Creates a request function over HTTP. Its errors name no URL, since URLs contain keys.
 * @throws ProviderRpcError with the error of the gateway, ANSWER_MALFORMED
 */
export function httpRequest(url: string, options: HttpRequestOptions = {}): RpcRequest {
  const { fetch: send = globalThis.fetch, headers, timeoutMs = verifyLimits.timeoutMs } = options;
  let id = 0;
  return async ({ method, params = [] }) => {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { result, error } = parsed(await boundedText(response));
    if (error === undefined || error === null) {
      // Proxies answer with JSON of their own. It would be read as null, which means that there is no such block.
      if (result === undefined) throw notJsonRpc();
      return result;
    }
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
    const text = typeof message === 'string' ? message : 'The error of the gateway has no message.';
    throw new ProviderRpcError(typeof code === 'number' ? code : -32603, text, data);
  };
}

function parsed(text: string): { readonly result?: unknown; readonly error?: unknown } {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null) return answer;
  } catch {
    // Reported below.
  }
  throw notJsonRpc();
}

const notJsonRpc = () => new VerifyError('ANSWER_MALFORMED', 'The gateway has not answered with JSON-RPC.');

/** Reads a body up to the limit of answers, also one without an announced length. */
async function boundedText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const { answerBytesMax, answerValuesMax } = verifyLimits;
  let text = '';
  let values = 0;
  for (let bytes = 0; reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    values += countJsonValues(value);
    if (bytes > answerBytesMax || values > answerValuesMax) {
      await reader.cancel();
      throw new VerifyError(
        'ANSWER_MALFORMED',
        `The answer has more than ${answerBytesMax} bytes or ${answerValuesMax} values.`,
      );
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}
