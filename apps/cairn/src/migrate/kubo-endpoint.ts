import type { Readable } from 'node:stream';
import { CairnError } from '@cairn/errors';
import { Agent, request } from 'undici';

/** Server of Kubo's API, and the credentials of the client. */
export interface EndpointOptions {
  /** `http://127.0.0.1:5001`; user and password in it are credentials. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
}

/** Kubo waits without end for blocks that no peer provides. */
const headersWithinMs = 120_000;

/** Requests that Kubo, Infura and Cairn share: POST, arguments in the query, JSON lines. */
export class KuboEndpoint {
  readonly #base: string;
  readonly #authorization: string | undefined;
  readonly #agent = new Agent({ headersTimeout: headersWithinMs, bodyTimeout: headersWithinMs, connections: 64 });

  constructor({ url, key, secret }: EndpointOptions) {
    const { username, password, origin, pathname } = new URL(url);
    this.#base = `${origin}${pathname.replace(/\/+$/, '').replace(/\/api\/v0$/, '')}/api/v0`;
    const [user, word] = [key ?? decodeURIComponent(username), secret ?? decodeURIComponent(password)];
    this.#authorization = user === '' ? undefined : `Basic ${Buffer.from(`${user}:${word}`).toString('base64')}`;
  }

  /** @throws ENDPOINT_REFUSED with the status, ENDPOINT_UNREACHABLE */
  async post(
    command: string,
    query: Readonly<Record<string, string>>,
    { body, type }: { readonly body?: AsyncIterable<Uint8Array>; readonly type?: string } = {},
  ): Promise<Readable> {
    const url = `${this.#base}/${command}?${new URLSearchParams(query)}`;
    const headers = {
      ...(this.#authorization !== undefined && { authorization: this.#authorization }),
      ...(type !== undefined && { 'content-type': type }),
    };
    const sent = body as unknown as Readable | undefined;
    const answer = await request(url, {
      method: 'POST',
      headers,
      dispatcher: this.#agent,
      ...(sent !== undefined && { body: sent }),
    }).catch((cause: unknown) => {
      throw new CairnError('ENDPOINT_UNREACHABLE', `${command}: the server is unreachable, or closed the connection.`, {
        cause,
      });
    });
    if (answer.statusCode === 200) return answer.body;
    const text = await answer.body.text();
    throw new CairnError('ENDPOINT_REFUSED', `${command}: ${messageOf(text)} (status ${answer.statusCode})`, {
      details: { status: answer.statusCode },
    });
  }

  /** Reads the answer of a command line by line. */
  async *lines(command: string, query: Readonly<Record<string, string>>): AsyncGenerator<unknown> {
    yield* jsonLines(await this.post(command, query));
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Reads JSON objects of a stream, one per line. @throws ENDPOINT_REFUSED for a line that is not JSON */
export async function* jsonLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let rest = '';
  const decoder = new TextDecoder();
  const parse = (line: string): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      throw new CairnError('ENDPOINT_REFUSED', 'The answer of the server is not JSON.');
    }
  };
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end).trim();
      rest = rest.slice(end + 1);
      if (line !== '') yield parse(line);
    }
  }
  if (rest.trim() !== '') yield parse(rest);
}

function messageOf(text: string): string {
  try {
    const { Message } = JSON.parse(text) as { readonly Message?: string };
    return Message ?? 'refused';
  } catch {
    return text.slice(0, 200) || 'refused';
  }
}
