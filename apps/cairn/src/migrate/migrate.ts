import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { CairnError, errorText, isCairnError } from '@cairn/errors';
import { flush } from '../flush.ts';
import { jsonLines, type KuboEndpoint } from './kubo-endpoint.ts';
import type { PinSource, WantedPin } from './sources.ts';

/** Outcome of a CID. */
export interface Migrated {
  readonly cid: string;
  /**
   * `verified`: the DAG is stored, each block verified against its name, and pinned. `different`: the source sent
   * another DAG.
   */
  readonly state: 'verified' | 'missing' | 'different' | 'refused';
  readonly reason?: string;
}

export interface MigrateOptions {
  readonly source: PinSource;
  readonly pins: AsyncIterable<WantedPin> | Iterable<WantedPin>;
  readonly target: KuboEndpoint;
  /** Lines of finished CIDs: a later run resumes after them. */
  readonly stateFile: string;
  /** Number of DAGs that are copied concurrently. */
  readonly parallel: number;
  readonly signal: AbortSignal;
  /** `isKnown`: an earlier run has copied it. */
  readonly onDone: (done: Migrated, counts: Readonly<Record<Migrated['state'], number>>, isKnown: boolean) => void;
}

const attempts = 3;
const pauseMs = 1000;

/** Copies pins with their DAGs. Skips those that the state file marks as verified. */
export async function migrate(options: MigrateOptions): Promise<Readonly<Record<Migrated['state'], number>>> {
  const { pins, stateFile, parallel, signal, onDone } = options;
  const before = await readState(stateFile);
  const counts = { verified: 0, missing: 0, different: 0, refused: 0 };
  const queue = iterate(pins);
  const work = async () => {
    for (let next = await queue.next(); !next.done && !signal.aborted; next = await queue.next()) {
      const known = before.get(next.value.cid);
      const done = known?.state === 'verified' ? known : await copyWithRetries(next.value, options);
      if (signal.aborted) return;
      if (done !== known) await appendFile(stateFile, `${JSON.stringify(done)}\n`);
      counts[done.state]++;
      onDone(done, counts, done === known);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  if (existsSync(stateFile)) await flush(stateFile);
  return counts;
}

/** Returns items one by one to concurrent callers. */
function iterate(pins: AsyncIterable<WantedPin> | Iterable<WantedPin>): AsyncIterator<WantedPin> {
  async function* all() {
    yield* pins;
  }
  return all();
}

async function copyWithRetries(pin: WantedPin, options: MigrateOptions): Promise<Migrated> {
  const { cid } = pin;
  for (let attempt = 1; ; attempt++) {
    try {
      return await copyOne(pin, options);
    } catch (error) {
      const isPassing = isCairnError(error, 'ENDPOINT_UNREACHABLE') || [429, 502, 503].includes(statusOf(error));
      if (isPassing && attempt < attempts && !options.signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs * attempt));
        continue;
      }
      const isMissing = isCairnError(error, 'SOURCE_MISSING');
      return { cid, state: isMissing ? 'missing' : 'refused', reason: reasonOf(error) };
    }
  }
}

async function copyOne({ cid, name }: WantedPin, { source, target }: MigrateOptions): Promise<Migrated> {
  if (await isPinned(target, cid)) return { cid, state: 'verified' };
  const car = await source.car(cid).catch((cause: unknown) => {
    if (!isCairnError(cause, 'ENDPOINT_REFUSED') || [429, 502, 503].includes(statusOf(cause))) throw cause;
    throw new CairnError('SOURCE_MISSING', reasonOf(cause));
  });
  const boundary = `cairn-${randomUUID()}`;
  const roots: string[] = [];
  const answer = await target.post(
    'dag/import',
    { 'pin-roots': 'true' },
    {
      body: multipart(car, boundary),
      type: `multipart/form-data; boundary=${boundary}`,
    },
  );
  for await (const line of jsonLines(answer)) {
    const { Root } = line as {
      readonly Root?: { readonly Cid: { readonly '/': string }; readonly PinErrorMsg?: string };
    };
    if (Root === undefined) continue;
    if (Root.PinErrorMsg) throw new CairnError('SOURCE_MISSING', Root.PinErrorMsg);
    roots.push(Root.Cid['/']);
  }
  if (!(await isPinned(target, cid)))
    return { cid, state: 'different', reason: `the received CAR has the roots ${roots.join(', ') || 'none'}` };
  if (name !== undefined) await (await target.post('pin/add', { arg: cid, name })).resume();
  return { cid, state: 'verified' };
}

async function isPinned(target: KuboEndpoint, cid: string): Promise<boolean> {
  try {
    for await (const line of target.lines('pin/ls', { arg: cid, type: 'recursive' })) if (line) return true;
    return false;
  } catch (error) {
    if (isCairnError(error, 'ENDPOINT_REFUSED') && statusOf(error) === 500) return false;
    throw error;
  }
}

async function* multipart(bytes: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Uint8Array> {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="path"; filename="dag.car"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  yield Buffer.from(head);
  yield* bytes;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

function statusOf(error: unknown): number {
  return isCairnError(error) ? Number(error.details.status) : Number.NaN;
}

function reasonOf(error: unknown): string {
  return error instanceof CairnError ? error.message : errorText(error);
}

async function readState(file: string): Promise<ReadonlyMap<string, Migrated>> {
  if (!existsSync(file)) return new Map();
  const lines = (await readFile(file, 'utf8')).split('\n');
  const known = new Map<string, Migrated>();
  for (const line of lines) {
    try {
      const done = JSON.parse(line) as Migrated;
      known.set(done.cid, done);
    } catch {
      // The last line of a killed run may be incomplete.
    }
  }
  return known;
}
