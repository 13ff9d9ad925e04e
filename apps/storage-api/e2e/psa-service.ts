import type { Service } from './service.ts';

/** Object `PinStatus` of the specification. */
export interface PinStatus {
  readonly requestid: string;
  readonly status: string;
  readonly created: string;
  readonly pin: { readonly cid: string; readonly name?: string };
  readonly info?: { readonly status_details?: string; readonly dag_size?: string };
}

/** Every status, for listings. */
export const everyStatus = 'status=queued,pinning,pinned,failed';

/** Client of the Pinning Service API of a service, as one account. */
export class PsaClient {
  readonly #service: Service;
  readonly #token: string;

  constructor(service: Service, account = 'ann') {
    this.#service = service;
    this.#token = `${account}:secret-of-${account}`;
  }

  async send(method: string, path: string, body?: unknown): Promise<Response> {
    return await fetch(`${this.#service.url}/psa/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async #json<T>(status: number, answer: Response): Promise<T> {
    const text = await answer.text();
    if (answer.status !== status) throw new Error(`status ${answer.status}, expected ${status}: ${text}`);
    return JSON.parse(text) as T;
  }

  async add(pin: object, replaces?: string): Promise<PinStatus> {
    return await this.#json(202, await this.send('POST', replaces === undefined ? 'pins' : `pins/${replaces}`, pin));
  }

  async get(id: string): Promise<PinStatus> {
    return await this.#json(200, await this.send('GET', `pins/${id}`));
  }

  async list(query = everyStatus): Promise<{ readonly count: number; readonly results: readonly PinStatus[] }> {
    return await this.#json(200, await this.send('GET', `pins?${query}`));
  }

  async remove(id: string): Promise<void> {
    const { status } = await this.send('DELETE', `pins/${id}`);
    if (status !== 202) throw new Error(`status ${status}, expected 202`);
  }

  /** Resolves when a request has a status. */
  async until(id: string, status: string): Promise<PinStatus> {
    return await eventually(
      () => this.get(id),
      (found) => found.status === status,
    );
  }
}

/** Repeats a read until its result passes, and returns it. */
export async function eventually<T>(read: () => Promise<T>, passes: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const value = await read();
    if (passes(value)) return value;
    if (tries === 300) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
