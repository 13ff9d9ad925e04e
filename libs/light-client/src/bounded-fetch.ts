import { concatBytes, countJsonValues, textFromUtf8, timeLimit } from '@cairn/platform';
import { LightClientError } from './errors.ts';

/** Maximum length of an answer of a beacon node in bytes. 128 updates have 4 MiB. */
const answerBytesMax = 8 * 1024 * 1024;
/** Maximum number of values in it. 128 updates have 75,000. */
const answerValuesMax = 250_000;

/** A beacon node: its base URL, and the host by which messages name it. */
export interface BeaconNode {
  /** URL without user, password and query. It may contain a key. */
  readonly url: string;
  /** Parameters for each request, for example the key of a provider. */
  readonly query: URLSearchParams;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Parses the URL of a beacon node. @throws LIGHT_CLIENT_CONFIG_INVALID without the URL in its message */
export function parseBeaconUrl(text: string): BeaconNode {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new LightClientError('LIGHT_CLIENT_CONFIG_INVALID', 'The URL of a beacon node is not valid.', {
      hint: 'Expected http or https.',
    });
  const headers: Record<string, string> = { accept: 'application/json' };
  if (parsed.username !== '' || parsed.password !== '')
    headers.authorization = `Basic ${btoa(`${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`)}`;
  parsed.username = '';
  parsed.password = '';
  const query = new URLSearchParams(parsed.search);
  parsed.search = '';
  parsed.hash = '';
  return { url: parsed.href.replace(/\/$/, ''), query, host: parsed.host, headers };
}

/** URL of a path with the parameters of the node. */
function urlOf(node: BeaconNode, path: string): URL {
  const url = new URL(node.url + path);
  for (const [name, value] of node.query) url.searchParams.append(name, value);
  return url;
}

/**
 * Reads JSON from a beacon node, bounded in size and time. Redirects are refused.
 * @throws BEACON_UNAVAILABLE, or the reason of the signal
 */
export async function fetchJson(
  node: BeaconNode,
  path: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  const fail = (reason: string) =>
    new LightClientError('BEACON_UNAVAILABLE', `The beacon node at ${node.host} did not answer: ${reason}.`, {
      hint: 'Check the beacon nodes of the network.',
      details: { host: node.host },
    });
  try {
    const ended = AbortSignal.any([signal, timeLimit(timeoutMs)]);
    const response = await fetch(urlOf(node, path), { headers: node.headers, redirect: 'error', signal: ended });
    const text = await readText(response, fail);
    if (!response.ok) throw fail(`status ${response.status}`);
    return JSON.parse(text);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LightClientError) throw error;
    if (error instanceof SyntaxError) throw fail('the answer is not JSON');
    throw fail(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'the connection failed');
  }
}

async function readText(response: Response, fail: (reason: string) => LightClientError): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let values = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return textFromUtf8(concatBytes(chunks));
    length += value.length;
    values += countJsonValues(value);
    if (length > answerBytesMax || values > answerValuesMax) {
      await reader?.cancel();
      throw fail(`the answer exceeds ${answerBytesMax} bytes or ${answerValuesMax} values`);
    }
    chunks.push(value);
  }
}
