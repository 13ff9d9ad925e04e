import { isUpstreamNetwork, type UpstreamNetwork } from '@cairn/chain-store';
import { networksOf, upstreamChainId } from '../networks.ts';
import type { CommandSettings } from '../settings.ts';
import { type Finding, fault, good, unknown, warning } from './finding.ts';

/** Time of one request in milliseconds. */
const requestMs = 5000;
const answerBytesMax = 64 * 1024;
/** Difference of clocks in milliseconds at which a light client refuses the headers of a network. */
const clockMs = 10_000;
const latencyMs = 1000;

/** Asks each upstream and beacon node of the networks file once, and compares the clocks. */
export async function checkUpstreams(settings: CommandSettings): Promise<Finding[]> {
  const networks = networksOf(settings).filter(isUpstreamNetwork);
  if (networks.length === 0) return [unknown('clock', 'There is no upstream to compare the clock with.')];
  const answers = await Promise.all(
    networks.flatMap((network) => [
      ...network.upstreams.map(({ url }) => checkUpstream(network, url)),
      ...(network.head.kind === 'beacon' ? network.head.beacon.map((url) => checkBeacon(network, url)) : []),
    ]),
  );
  const skews = answers.flatMap(({ skewMs }) => (skewMs === undefined ? [] : [skewMs]));
  return [...answers.map(({ finding }) => finding), clock(skews)];
}

interface Checked {
  readonly finding: Finding;
  /** Milliseconds by which the clock here is ahead. */
  readonly skewMs?: number | undefined;
}

async function checkUpstream(network: UpstreamNetwork, url: string): Promise<Checked> {
  const at = `${network.name} at ${origin(url)}`;
  if (!url.startsWith('http'))
    return { finding: unknown('upstreams', `${at} is a WebSocket; the gateway checks it when it starts.`) };
  const answer = await ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  });
  if ('failure' in answer) return { finding: away(at, answer.failure) };
  const { result } = (answer.json ?? {}) as { readonly result?: unknown };
  const { skewMs, ms } = answer;
  if (typeof result !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(result))
    return { finding: away(at, `It answered eth_chainId with status ${answer.status} and no chain ID.`), skewMs };
  const expected = upstreamChainId(network);
  if (expected !== undefined && BigInt(result) !== BigInt(expected)) {
    const text = `${at} serves chain ${BigInt(result)}, and the network is chain ${expected}.`;
    return { finding: fault('upstreams', text, 'Correct the URL or the network in the networks file.'), skewMs };
  }
  return { finding: answered(at, ms), skewMs };
}

async function checkBeacon(network: UpstreamNetwork, url: string): Promise<Checked> {
  const at = `${network.name}, beacon node at ${origin(url)}`;
  const answer = await ask(`${url.replace(/\/+$/, '')}/eth/v1/beacon/light_client/finality_update`);
  if ('failure' in answer) return { finding: away(at, answer.failure) };
  const { skewMs, status, ms } = answer;
  if (status === 200) return { finding: answered(at, ms), skewMs };
  const text = `${at} answered ${status} for a light client update.`;
  return { finding: fault('upstreams', text, 'Use a beacon node that serves light clients.'), skewMs };
}

function answered(at: string, ms: number): Finding {
  const text = `${at} answers in ${Math.round(ms)} ms.`;
  if (ms < latencyMs) return good('upstreams', text);
  return warning('upstreams', text, 'Calls on state that is not cached take several of its answers. Use a nearer one.');
}

function away(at: string, failure: string): Finding {
  return fault('upstreams', `${at}: ${failure}`, 'Check the URL and its key, and that this machine reaches it.');
}

function clock(skews: readonly number[]): Finding {
  if (skews.length === 0) return unknown('clock', 'No upstream sent its time.');
  // One server with a wrong clock must not accuse this machine.
  const median = [...skews].sort((a, b) => a - b)[skews.length >> 1] ?? 0;
  const text = `The clock is ${Math.round(Math.abs(median) / 1000)} s ${median < 0 ? 'behind' : 'ahead of'} upstreams.`;
  if (Math.abs(median) < clockMs) return good('clock', text);
  return fault('clock', text, 'Synchronize it (for example with chrony): light clients and sign-ins depend on it.');
}

/** Scheme, host and port: paths and queries of upstreams contain keys. */
function origin(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

type Answer =
  | { readonly failure: string }
  | { readonly status: number; readonly json: unknown; readonly ms: number; readonly skewMs: number | undefined };

async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const start = performance.now();
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(requestMs), redirect: 'error' });
    const date = Date.parse(response.headers.get('date') ?? '');
    const skewMs = Number.isNaN(date) ? undefined : Date.now() - date;
    const json = parse(await readText(response));
    return { status: response.status, json, ms: performance.now() - start, skewMs };
  } catch (error) {
    const { cause, name } = error as Error;
    // The message of `fetch` may contain the URL.
    const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? name;
    return { failure: code === 'TimeoutError' ? `no answer within ${requestMs / 1000} s.` : `no answer (${code}).` };
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > answerBytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
