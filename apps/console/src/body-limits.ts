import type { IncomingMessage, ServerResponse } from 'node:http';
import { CairnError } from '@cairn/errors';
import type { Entrance } from './entrance.ts';

const kib = 1024;

/** Limits of bodies, in bytes and milliseconds. */
export const bodyLimits = {
  /** Forms of the pages. The longest is the policy of a key with 100 entries in each list. */
  formBytesMax: 64 * kib,
  /** Events of the card provider. The sender is unknown until the signature is verified. */
  webhookBytesMax: 256 * kib,
  /** Network calls of signed-in members. */
  callBytesMax: 1024 * kib,
  /** Sum over all bodies in transit. */
  heldBytesMax: 32 * 1024 * kib,
  /** From the head of a request to the end of its body. */
  bodyMsMax: 10_000,
  /** Connections to the console. */
  connectionsMax: 1000,
} as const;

const webhookPath = '/api/billing/webhook';
const callPath = /^\/api\/networks\/[^/]+\/rpc\/?$/;

type Next = (error?: unknown) => void;

/** Limits the length, the duration and the total memory of bodies, before the body parsers run. */
export class BodyLimits {
  readonly #entrance: Pick<Entrance, 'enter'>;
  readonly #limits: { readonly heldBytesMax: number; readonly bodyMsMax: number };
  #heldBytes = 0;

  constructor(
    entrance: Pick<Entrance, 'enter'>,
    limits: { readonly heldBytesMax: number; readonly bodyMsMax: number } = bodyLimits,
  ) {
    this.#entrance = entrance;
    this.#limits = limits;
  }

  /** Bytes reserved for bodies in transit. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Middleware: passes a request on, or ends it with 401, 408, 413 or 503. */
  readonly check = (
    request: IncomingMessage & { originalUrl?: string },
    response: ServerResponse,
    next: Next,
  ): void => {
    this.#check(request, response).then(() => next(), next);
  };

  async #check(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse): Promise<void> {
    // Uploads stream through to the storage API, which limits them.
    if (!hasBody(request) || !isParsed(request)) return;
    const path = pathOf(request);
    // The sender of a long body is authenticated before it is read.
    if (callPath.test(path)) await this.#entrance.enter(request);
    const bytesMax = bytesMaxOf(path);
    const declared = request.headers['content-length'];
    const bytes =
      declared === undefined || request.headers['content-encoding'] !== undefined ? bytesMax : Number(declared);
    if (bytes > bytesMax) throw new CairnError('BODY_TOO_LONG', 'The body is too long.');
    this.#hold(bytes, response);
    this.#limitTime(request, response);
  }

  #hold(bytes: number, response: ServerResponse): void {
    if (this.#heldBytes + bytes > this.#limits.heldBytesMax)
      throw new CairnError('SERVICE_BUSY', 'Too many request bodies are in transit.', {
        hint: 'Retry in a moment.',
        details: { retryAfterSeconds: 1 },
      });
    this.#heldBytes += bytes;
    response.once('close', () => {
      this.#heldBytes -= bytes;
    });
  }

  #limitTime(request: IncomingMessage, response: ServerResponse): void {
    const { bodyMsMax } = this.#limits;
    const timer = setTimeout(() => {
      if (response.headersSent) return void response.destroy();
      const message = `The body did not arrive within ${bodyMsMax / 1000} s.`;
      response.writeHead(408, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ error: { code: 'BODY_TOO_SLOW', message, hint: 'Send it again.' } }));
      response.once('close', () => request.destroy());
    }, bodyMsMax);
    const stop = () => clearTimeout(timer);
    request.once('end', stop);
    request.once('close', stop);
  }
}

/** Longest body of a path, in bytes. */
export function bytesMaxOf(path: string): number {
  if (path === webhookPath) return bodyLimits.webhookBytesMax;
  return callPath.test(path) ? bodyLimits.callBytesMax : bodyLimits.formBytesMax;
}

function pathOf({ originalUrl, url = '' }: IncomingMessage & { readonly originalUrl?: string }): string {
  return (originalUrl ?? url).split('?', 1)[0] ?? '';
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isParsed(request: IncomingMessage): boolean {
  return (
    pathOf(request) === webhookPath || /^application\/([\w.-]+\+)?json\b/i.test(request.headers['content-type'] ?? '')
  );
}
