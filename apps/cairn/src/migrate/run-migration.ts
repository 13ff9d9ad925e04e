import { existsSync, statSync } from 'node:fs';
import { UsageError } from '../exit-codes.ts';
import { print } from '../print.ts';
import { checkAccess } from './check-access.ts';
import { KuboEndpoint } from './kubo-endpoint.ts';
import { type Migrated, migrate } from './migrate.ts';
import { MigrationProgress, summary } from './progress.ts';
import { carSource, endpointSource, pinsOfCsv, type WantedPin } from './sources.ts';

/** Options of the command line. */
export interface MigrationOptions {
  readonly from: string;
  readonly pins?: string;
  readonly to: string;
  readonly parallel: number;
  readonly state: string;
  readonly json?: boolean;
}

/** Names of well-known sources. */
const sources: Readonly<Record<string, string>> = {
  kubo: 'http://127.0.0.1:5001',
  infura: 'https://ipfs.infura.io:5001',
};
const printEveryMs = 2000;

/**
 * Copies the pins that `options` select and reports progress. The exit code is 1 when a DAG is missing or different at
 * the end.
 */
export async function runMigration({ from, to, pins, parallel, state, json }: MigrationOptions): Promise<void> {
  const { CAIRN_MIGRATE_KEY: key, CAIRN_MIGRATE_SECRET: secret } = process.env;
  const { CAIRN_MIGRATE_FROM_KEY: fromKey, CAIRN_MIGRATE_FROM_SECRET: fromSecret } = process.env;
  const address = sources[from] ?? from;
  const isDirectory = existsSync(address) && statSync(address).isDirectory();
  const endpoint = isDirectory
    ? undefined
    : new KuboEndpoint({ url: urlOf(address, '--from'), key: fromKey, secret: fromSecret });
  const source = endpoint ? endpointSource(endpoint) : carSource(address);
  const target = new KuboEndpoint({ url: urlOf(to, '--to'), key, secret });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const progress = new MigrationProgress();
  let printedAt = performance.now();
  const onDone = (done: Migrated, counts: Readonly<Record<Migrated['state'], number>>, isKnown: boolean) => {
    if (!isKnown) progress.copied();
    if (json) return;
    if (done.state !== 'verified') console.log(`${done.state.toUpperCase()}  ${done.cid}  ${done.reason ?? ''}`);
    if (performance.now() - printedAt < printEveryMs) return;
    printedAt = performance.now();
    console.log(`${progress.line(counts)} …`);
  };
  try {
    const wanted = pins === undefined ? undefined : await pinsOfCsv(pins);
    if (endpoint)
      await checkAccess(endpoint, {
        option: '--from',
        variables: 'CAIRN_MIGRATE_FROM_KEY and CAIRN_MIGRATE_FROM_SECRET',
      });
    await checkAccess(target, { option: '--to', variables: 'CAIRN_MIGRATE_KEY and CAIRN_MIGRATE_SECRET' });
    void countPins(wanted ?? source.pins(), progress, stop.signal);
    const counts = await migrate({
      source,
      pins: wanted ?? source.pins(),
      target,
      stateFile: state,
      parallel,
      signal: stop.signal,
      onDone,
    });
    print({ ...counts, state, isWhole: !stop.signal.aborted }, { json }, [
      `${summary(counts)}; each CID is in ${state}.`,
    ]);
    if (stop.signal.aborted || counts.missing + counts.different + counts.refused > 0) process.exitCode = 1;
  } finally {
    await Promise.all([endpoint?.close(), target.close()]);
  }
}

/** Counts all pins beside the copy, for the estimate only: a failure of the listing ends the copy itself. */
async function countPins(
  pins: Iterable<WantedPin> | AsyncIterable<WantedPin>,
  progress: MigrationProgress,
  signal: AbortSignal,
): Promise<void> {
  let count = 0;
  try {
    for await (const _ of pins) {
      if (signal.aborted) return;
      count++;
    }
    progress.total = count;
  } catch {
    // Without a total, no duration is printed.
  }
}

function urlOf(text: string, option: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new UsageError(
    `${option}: expected an address such as http://127.0.0.1:5001, got ${JSON.stringify(text.slice(0, 80))}.`,
  );
}
