import { type Database, Environment } from '@cairn/embedded-store';
import { meteringFormat } from '../metering-format.ts';
import {
  chunksKept,
  decodeChunk,
  encodeChunk,
  filledChunks,
  type LoggedRequest,
  type RequestLogStore,
  requestsPerChunk,
} from './request-log-store.ts';

class LmdbRequestLogStore implements RequestLogStore {
  readonly #environment: Environment;
  readonly #chunks: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#chunks = environment.database('request-log');
  }

  async append(accountId: string, requests: readonly LoggedRequest[]): Promise<void> {
    await this.#environment.transaction(() => {
      const last = this.#chunks.last(rangeOf(accountId));
      const filling = last === undefined ? [] : decodeChunk(Buffer.from(last.value).toString());
      const isFull = filling.length >= requestsPerChunk;
      let number = last === undefined ? 0 : numberOf(last.key) + (isFull ? 1 : 0);
      for (const chunk of filledChunks(isFull ? [] : filling, requests))
        this.#chunks.put(keyOf(accountId, number++), Buffer.from(encodeChunk(chunk)));
      const old = { start: keyOf(accountId, 0), end: keyOf(accountId, number - 1 - chunksKept) };
      if (number - 1 > chunksKept) for (const key of [...this.#chunks.keys(old)]) this.#chunks.remove(key);
    });
  }

  async *chunks(accountId: string): AsyncGenerator<readonly LoggedRequest[]> {
    this.#environment.refresh();
    const keys = [...this.#chunks.keys(rangeOf(accountId))].reverse();
    for (const key of keys) {
      const value = this.#chunks.get(key);
      // Removed since the keys were read.
      if (value !== undefined) yield decodeChunk(Buffer.from(value).toString()).reverse();
    }
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

const digits = 12;

function keyOf(accountId: string, number: number): Buffer {
  return Buffer.from(`${accountId}\0${String(Math.max(0, number)).padStart(digits, '0')}`);
}

function numberOf(key: Uint8Array): number {
  return Number(Buffer.from(key).subarray(-digits).toString());
}

function rangeOf(accountId: string) {
  return { start: keyOf(accountId, 0), end: Buffer.from(`${accountId}\x01`) };
}

/** Opens the request log in the LMDB environment of the accounts. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openLmdbRequestLogStore({ directory }: { readonly directory: string }): Promise<RequestLogStore> {
  return new LmdbRequestLogStore(await Environment.open({ directory, format: meteringFormat }));
}
