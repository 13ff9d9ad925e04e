import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, statfs } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CairnError, errorChain } from '@cairn/errors';
import type { Logger } from '@cairn/service-kit';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

/** Limits of resumable uploads. */
const resumableLimits = {
  /** Unfinished uploads of one account. */
  ofAccountMax: 16,
  /** An upload is removed this long after its start, in milliseconds. */
  keptMs: 24 * 3_600_000,
  /** Interval of the removal, in milliseconds. */
  removalMs: 10 * 60_000,
  /** Bytes of the disk that uploads leave free. */
  freeBytesMin: 1024 ** 3,
} as const;

/** Complete upload that waits to be added. */
export interface ReceivedUpload {
  readonly bytes: number;
  read(): Readable;
}

interface Caller {
  readonly accountId: string;
}

/**
 * Uploads that continue after a lost connection, a closed tab or a restart of the console (tus 1.0.0). Their bytes wait in
 * files of this console. The name of a file starts with a hash of the account, so that no other account reaches it.
 */
export class ResumableUploads {
  readonly #store: FileStore;
  readonly #server: Server;
  readonly #directory: string;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #caller = new AsyncLocalStorage<Caller>();
  readonly #timer: NodeJS.Timeout;

  constructor({
    home,
    bytesMax,
    logger,
  }: { readonly home: string; readonly bytesMax: number; readonly logger: Pick<Logger, 'warn'> }) {
    this.#directory = join(home, 'uploads');
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#logger = logger;
    this.#store = new FileStore({
      directory: this.#directory,
      expirationPeriodInMilliseconds: resumableLimits.keptMs,
    });
    this.#server = new Server({
      path: '/api/tus',
      datastore: this.#store,
      relativeLocation: true,
      maxSize: bytesMax,
      // No other origin.
      allowedOrigins: [],
      namingFunction: () => `${ownerOf(this.#caller.getStore()?.accountId ?? '')}-${randomUUID()}`,
      // Internal texts, such as paths, stay out of answers.
      onResponseError: (_, error) =>
        'status_code' in error && error.status_code < 500
          ? undefined
          : { status_code: 500, body: 'The upload failed. Continue it in a moment.\n' },
    });
    this.#timer = setInterval(() => void this.#removeExpired(), resumableLimits.removalMs).unref();
  }

  /** Answers a request of the protocol. The caller has checked that it may create, or owns the upload. */
  async handle(accountId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#caller.run({ accountId }, async () => void (await this.#server.handle(request, response)));
  }

  /**
   * Requires that the account may begin another upload, and returns the bytes that its unfinished uploads reserve.
   * @throws SERVICE_BUSY, STORE_FULL
   */
  async requirePlace(accountId: string, bytes: number): Promise<number> {
    const owner = ownerOf(accountId);
    const open = await this.#open();
    const own = open.filter(({ id }) => id.startsWith(`${owner}-`));
    if (own.length >= resumableLimits.ofAccountMax)
      throw new CairnError('SERVICE_BUSY', `${own.length} uploads of this account are unfinished, the most allowed.`, {
        hint: 'Finish or cancel one, or wait a day.',
        details: { retryAfterSeconds: 3600 },
      });
    const { bavail, bsize } = await statfs(this.#directory);
    const missing = open.reduce((sum, { size, offset }) => sum + Math.max(0, size - offset), 0);
    if (bavail * bsize - missing - bytes < resumableLimits.freeBytesMin)
      throw new CairnError('STORE_FULL', 'The console has no room for this upload.', {
        hint: 'Ask the operator of this service for more space, then retry.',
      });
    return own.reduce((sum, { size }) => sum + size, 0);
  }

  /** Requires that the upload exists and belongs to the account. @throws UPLOAD_NOT_FOUND, the same for both */
  async require(accountId: string, id: string): Promise<{ readonly size: number; readonly offset: number }> {
    const found = id.startsWith(`${ownerOf(accountId)}-`) ? await this.#upload(id) : undefined;
    if (found !== undefined) return found;
    throw new CairnError('UPLOAD_NOT_FOUND', 'The upload is not known here. It may have expired.', {
      hint: 'Start it again.',
    });
  }

  /** Returns a complete upload. @throws UPLOAD_NOT_FOUND, UPLOAD_INCOMPLETE */
  async received(accountId: string, id: string): Promise<ReceivedUpload> {
    const { size, offset } = await this.require(accountId, id);
    if (offset !== size)
      throw new CairnError('UPLOAD_INCOMPLETE', `${offset} of ${size} bytes of the upload have arrived.`, {
        hint: 'Send the others first.',
      });
    return { bytes: size, read: () => this.#store.read(id) };
  }

  /** Removes an upload. An unknown one has no effect. */
  async remove(id: string): Promise<void> {
    await this.#store.remove(id).catch(() => undefined);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #open(): Promise<{ readonly id: string; readonly size: number; readonly offset: number }[]> {
    const names = (await readdir(this.#directory)).filter((name) => uploadId.test(name));
    const found = await Promise.all(names.map((id) => this.#upload(id)));
    return found.filter((upload) => upload !== undefined);
  }

  async #upload(
    id: string,
  ): Promise<{ readonly id: string; readonly size: number; readonly offset: number } | undefined> {
    if (!uploadId.test(id)) return undefined;
    const found = await this.#store.getUpload(id).catch(() => undefined);
    return found?.size === undefined ? undefined : { id, size: found.size, offset: found.offset };
  }

  async #removeExpired(): Promise<void> {
    try {
      await this.#server.cleanUpExpiredUploads();
    } catch (error) {
      this.#logger.warn({ causes: errorChain(error) }, 'old uploads were not removed');
    }
  }
}

const uploadId = /^[0-9a-f]{32}-[0-9a-f-]{36}$/;

function ownerOf(accountId: string): string {
  return createHash('sha256').update(accountId).digest('hex').slice(0, 32);
}
