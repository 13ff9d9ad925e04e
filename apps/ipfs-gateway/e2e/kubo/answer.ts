import { createHash } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { readCar } from '@cairn/dag';
import type { GatewayCase } from './gateway-case.ts';

/** Fields that both gateways must agree on. */
const fields = [
  ...[
    'location',
    'content-type',
    'content-disposition',
    'etag',
    'cache-control',
    'x-ipfs-path',
    'x-ipfs-roots',
    'content-range',
  ],
  ...['accept-ranges', 'x-content-type-options', 'last-modified', 'content-location', 'allow'],
];

/** Comparable parts of a response. */
export type Answer = Readonly<Record<string, string>>;

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  readonly isCut: boolean;
}

/** Fields of a redirect and of an error. */
const errorFields = ['x-ipfs-path', 'allow'];

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Closes the idle connections of all requests. */
export function closeConnections(): void {
  agent.destroy();
}

function send(url: string, { path, method = 'GET', host, headers = {} }: GatewayCase): Promise<Received> {
  const { hostname, port } = new URL(url);
  const given = {
    hostname,
    port,
    method,
    agent,
    insecureHTTPParser: true,
    headers: { ...headers, ...(host && { host }) },
  };
  return new Promise((resolve) => {
    const sent = httpRequest({ ...given, path }, (response) => {
      const parts: Buffer[] = [];
      const done = (isCut: boolean) => () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts), isCut });
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', done(true)).on('end', done(false));
    });
    sent
      .on('error', (error) =>
        resolve({ status: 0, headers: { error: error.message }, body: Buffer.alloc(0), isCut: true }),
      )
      .end();
  });
}

/** Sends a request and returns what must be equal. Texts and pages of a gateway are its own: only their kind is compared. */
export async function answerOf(url: string, asked: GatewayCase): Promise<Answer> {
  const { status, headers, body, isCut } = await send(url, asked);
  const type = String(headers['content-type'] ?? '');
  const isOwnText = status >= 300 || (type.startsWith('text/html') && /(DirIndex|DagIndex)/.test(String(headers.etag)));
  const answer: Record<string, string> = { status: String(status), isCut: String(isCut) };
  const compared =
    status === 304 || status === 0 ? [] : status >= 400 ? errorFields : status >= 300 ? ['location'] : fields;
  for (const name of compared) {
    const value = headers[name];
    if (value === undefined) continue;
    answer[name] = normal(name, Buffer.from(String(value), 'latin1').toString());
  }
  if (isOwnText) return answer;
  if (type.includes('vnd.ipld.car') && !isCut && body.length > 0) answer.body = (await blocksOf(body)).join(' ');
  else if (!type.includes('x-tar')) answer.body = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return answer;
}

/** Leaves out parts of a value that depend on the implementation. */
function normal(name: string, value: string): string {
  if (name !== 'etag') return value;
  return value.replace(/(DirIndex|DagIndex)-[^_]*_/, '$1-*_').replace(/\.car\.[^"]*/, '.car.*');
}

async function blocksOf(bytes: Uint8Array): Promise<string[]> {
  const car = await readCar(bytes);
  const found = car.roots.map((cid) => `root:${cid}`);
  for await (const { cid } of car.blocks) found.push(cid.toString());
  return found;
}
