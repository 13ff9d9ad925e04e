import type { Block, Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type DagSize, type Pinning, recordDag } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { type ImportOptions, importDirectory, importFile, type PbLink } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { printCid } from '../print-cid.ts';
import { jsonLinesHeaders, write } from '../write.ts';
import { malformed, readParts, type UploadPart } from './multipart.ts';

const options = {
  pin: { kind: 'boolean', default: true },
  'pin-name': { kind: 'text' },
  'only-hash': { kind: 'boolean', default: false },
  'cid-version': { kind: 'integer', min: 0, max: 1 },
  'raw-leaves': { kind: 'boolean' },
  hash: { kind: 'text' },
  chunker: { kind: 'text' },
  'max-file-links': { kind: 'integer', min: 2, max: 8192 },
  'wrap-with-directory': { kind: 'boolean', default: false },
  progress: { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false },
  quieter: { kind: 'boolean', default: false },
  silent: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
  trickle: { kind: 'refused', reason: 'files are laid out balanced' },
  inline: { kind: 'refused', reason: 'small blocks are stored, not inlined' },
  nocopy: { kind: 'refused', reason: 'the service has no access to files of the client' },
  fscache: { kind: 'refused', reason: 'the service has no access to files of the client' },
  'to-files': { kind: 'refused', reason: 'this version has no MFS' },
} as const;

type AddContext = CommandContext<typeof options>;

/** A finished root, ready to be told. */
interface AddedRoot {
  /** Absent for content without a file name: it goes by its CID. */
  readonly name: string | undefined;
  readonly cid: CID;
  readonly dagSize: number;
}

const progressStepBytes = 256 * 1024;
const onlyHashStore = { putMany: async (_blocks: readonly Block[]) => {} };

/**
 * `add`: files as UnixFS DAGs with the CIDs that Kubo gives. The answer comes when blocks and pin are on the disk; an
 * add that ends early pins nothing.
 */
@Injectable()
export class AddCommand implements Command<typeof options> {
  readonly name = 'add';
  readonly args = { name: 'path', min: 0, max: 0 };
  readonly options = options;
  #running = 0;

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(PINNING) private readonly pinning: Pinning,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async run(context: AddContext): Promise<void> {
    const { CAIRN_UPLOADS_MAX: most } = this.settings;
    if (this.#running >= most) {
      throw new ApiError(429, `${most} uploads are under way, the most allowed; try again in a moment`, {
        'retry-after': '1',
      });
    }
    this.#running++;
    try {
      await this.#add(context);
    } finally {
      this.#running--;
    }
  }

  async #add(context: AddContext): Promise<void> {
    const { request, response, signal, options: chosen } = context;
    const roots: AddedRoot[] = [];
    // Of all parts of the request together: a wrapping directory is one DAG with them.
    const wrapped = recordDag(this.#target(context));
    let received = 0;
    for await (const part of readParts(request, signal)) {
      checkPart(part);
      const recorder = chosen['wrap-with-directory'] ? wrapped : recordDag(this.#target(context));
      const bytes = this.#limited(part.bytes, (length) => {
        received += length;
        return received;
      });
      const { cid, dagSize } = await importFile(bytes, recorder, importOptions(context, part.filename));
      const root = { name: part.filename || undefined, cid, dagSize };
      roots.push(root);
      if (chosen['wrap-with-directory']) continue;
      await this.#keep(context, root.cid, recorder.size);
      await tell(context, root);
    }
    if (roots.length === 0) throw new ApiError(400, 'argument "path" is required: a multipart part named "file"');
    if (chosen['wrap-with-directory']) await this.#wrap(context, roots, wrapped);
    if (!response.headersSent) response.writeHead(200, jsonLinesHeaders);
    response.end();
  }

  async #wrap(context: AddContext, roots: readonly AddedRoot[], recorder: ReturnType<typeof recordDag>): Promise<void> {
    const entries: PbLink[] = roots.map(({ name, cid, dagSize }) => ({
      name: name ?? cid.toString(),
      cid,
      tsize: dagSize,
    }));
    const { cid, dagSize } = await importDirectory(entries, recorder, importOptions(context, ''));
    await this.#keep(context, cid, recorder.size);
    for (const root of roots) await tell(context, root);
    await tell(context, { name: '', cid, dagSize });
  }

  #target({ options: chosen }: AddContext): Pick<Blockstore, 'putMany'> {
    return chosen['only-hash'] ? onlyHashStore : this.store;
  }

  /** Makes a root durable, then its pin: in this order a crash between them leaves blocks without a pin, never the reverse. */
  async #keep({ principal, options: chosen }: AddContext, cid: CID, size: DagSize): Promise<void> {
    if (chosen['only-hash']) return;
    await this.store.sync();
    if (chosen.pin) await this.pinning.pinAdded(principal.account.id, cid, size, chosen['pin-name']);
  }

  /** The bytes of a part, until the upload is longer than allowed. */
  async *#limited(source: AsyncIterable<Uint8Array>, count: (length: number) => number): AsyncGenerator<Uint8Array> {
    const { CAIRN_UPLOAD_BYTES_MAX: most } = this.settings;
    try {
      for await (const bytes of source) {
        if (count(bytes.length) > most) {
          throw new ApiError(
            413,
            `the upload is longer than ${most} bytes, the limit of this service (CAIRN_UPLOAD_BYTES_MAX)`,
          );
        }
        yield bytes;
      }
    } catch (error) {
      throw isCairnError(error) ? error : malformed(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

function checkPart({ filename, contentType }: UploadPart): void {
  if (
    contentType === 'application/x-directory' ||
    contentType === 'application/symlink' ||
    filename.replace(/^\/+/, '').includes('/')
  ) {
    throw new ApiError(400, 'directories and symlinks cannot be added in this version; add files one by one');
  }
}

function importOptions(context: AddContext, name: string): ImportOptions {
  const { options: chosen, response, signal } = context;
  let told = 0;
  const onProgress = (bytes: number) => {
    if (bytes - told < progressStepBytes) return;
    told = bytes;
    if (!response.headersSent) response.writeHead(200, jsonLinesHeaders);
    response.write(`${JSON.stringify({ Name: name, Bytes: bytes })}\n`);
  };
  const version = chosen['cid-version'];
  return {
    signal,
    ...(version !== undefined && { cidVersion: version === 1 ? (1 as const) : (0 as const) }),
    ...(chosen['raw-leaves'] !== undefined && { rawLeaves: chosen['raw-leaves'] }),
    ...(chosen.hash !== undefined && { hash: chosen.hash }),
    ...(chosen.chunker !== undefined && { chunker: chosen.chunker }),
    ...(chosen['max-file-links'] !== undefined && { fileLinksMax: chosen['max-file-links'] }),
    ...(chosen.progress && { onProgress }),
  };
}

/** One line of the answer, its keys in Kubo's order. */
async function tell(
  { response, signal, options: chosen }: AddContext,
  { name, cid, dagSize }: AddedRoot,
): Promise<void> {
  if (!response.headersSent) response.writeHead(200, jsonLinesHeaders);
  const Hash = printCid(cid, chosen['cid-base']);
  const line = { Name: name ?? Hash, Hash, Size: String(dagSize) };
  await write(response, `${JSON.stringify(line)}\n`, signal);
}
