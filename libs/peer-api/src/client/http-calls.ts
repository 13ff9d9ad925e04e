import { isCairnError } from '@cairn/errors';
import type { z } from 'zod';
import { errorFromWire, PeerApiError } from '../errors.ts';
import { peerApiLimits } from '../limits.ts';
import {
  callPath,
  type ItemOf,
  type ParametersOf,
  reply,
  type StreamCall,
  streamCalls,
  type ValueCall,
  type ValueOf,
  valueCalls,
} from '../wire/calls.ts';
import { encodeJson } from '../wire/json.ts';

export type TokenSource = () => Promise<string>;

/** Sends calls to the process of the peer. */
export class HttpCalls {
  readonly #url: string;
  readonly #token: TokenSource;

  constructor(url: string, token: TokenSource) {
    this.#url = url.replace(/\/$/, '');
    this.#token = token;
  }

  async value<Name extends ValueCall>(
    name: Name,
    parameters: ParametersOf<Name>,
    signal?: AbortSignal,
  ): Promise<ValueOf<Name>> {
    const response = await this.#send(name, parameters, signal);
    let text = '';
    for await (const part of this.#parts(response, signal)) {
      text += part;
      if (text.length > peerApiLimits.responseBytesMax) throw invalidReply(name, 'it is too long');
    }
    // TypeScript does not relate the two lookups by one generic name.
    return this.#parse(name, text, valueCalls[name].value) as ValueOf<Name>;
  }

  async *items<Name extends StreamCall>(
    name: Name,
    parameters: ParametersOf<Name>,
    signal?: AbortSignal,
  ): AsyncGenerator<ItemOf<Name>> {
    const response = await this.#send(name, parameters, signal);
    let rest = '';
    for await (const part of this.#parts(response, signal)) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > peerApiLimits.itemBytesMax) throw invalidReply(name, 'a line is too long');
      for (const line of lines) {
        if (line === '{"end":true}') return;
        yield this.#parse(name, line, streamCalls[name].item) as ItemOf<Name>;
      }
    }
    // An error before the stream has no line end.
    if (rest !== '') this.#parse(name, rest, streamCalls[name].item);
    throw unavailable(this.#url, new Error('the answer ended early'));
  }

  async #send(name: string, parameters: unknown, signal?: AbortSignal): Promise<Response> {
    signal?.throwIfAborted();
    const authorization = `Bearer ${await this.#token()}`;
    let response: Response;
    try {
      response = await fetch(`${this.#url}${callPath}${name}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: encodeJson(parameters),
        redirect: 'error',
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw unavailable(this.#url, error);
    }
    // The credentials of this service are wrong, not those of its user.
    if (response.status === 401) throw tokenRefused(this.#url);
    return response;
  }

  async *#parts(response: Response, signal?: AbortSignal): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    try {
      for await (const part of response.body ?? []) yield decoder.decode(part, { stream: true });
    } catch (error) {
      signal?.throwIfAborted();
      if (isCairnError(error)) throw error;
      throw unavailable(this.#url, error);
    }
  }

  #parse(name: string, text: string, schema: Pick<z.ZodType, 'safeParse'>): unknown {
    let answer: z.output<typeof reply>;
    try {
      answer = reply.parse(JSON.parse(text));
    } catch (cause) {
      throw invalidReply(name, 'it is not of the protocol', cause);
    }
    if ('error' in answer) throw errorFromWire(answer.error);
    const value = schema.safeParse('value' in answer ? answer.value : undefined);
    if (!value.success) throw invalidReply(name, 'its value has another form', value.error);
    return value.data;
  }
}

function unavailable(url: string, cause: unknown): PeerApiError {
  return new PeerApiError('PEER_UNAVAILABLE', `The IPFS peer does not answer at ${url}.`, {
    hint: 'Start ipfs-peer, or correct IPFS_PEER_URL.',
    cause,
  });
}

function tokenRefused(url: string): PeerApiError {
  return new PeerApiError('PEER_UNAVAILABLE', `The IPFS peer at ${url} refuses the token of this service.`, {
    hint: 'Run both with the same CAIRN_HOME and secrets key, and with clocks that agree.',
  });
}

function invalidReply(name: string, reason: string, cause?: unknown): PeerApiError {
  return new PeerApiError('PEER_FAULT', `The answer of the IPFS peer to ${name} cannot be used: ${reason}.`, {
    hint: 'Run the services and the peer from the same version of Cairn.',
    cause,
  });
}
