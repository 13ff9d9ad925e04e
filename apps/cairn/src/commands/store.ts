import type { ReindexReport } from '@cairn/pack-store';
import type { Command } from 'commander';
import { print } from '../print.ts';
import { loadCommandSettings } from '../settings.ts';
import { openHome } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

/** Milliseconds between two lines of progress. */
const progressMs = 5000;

interface JsonOption {
  readonly json?: boolean;
}

/** `cairn store reindex` */
export function addStoreCommands(program: Command): void {
  const group = topCommand(program, 'store');
  group
    .command('reindex')
    .description(
      'Adds packs of the bucket that the index does not have. Works while services run. Repeat a stopped run.',
    )
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      const report = await reindex(options);
      const { packs, indexed, unreadable } = report;
      print(report, options, [
        ...unreadable.map((key) => `UNREADABLE  ${key}`),
        `${packs} packs are in the bucket, ${indexed} of them were added to the index.`,
      ]);
      if (unreadable.length > 0) process.exitCode = 1;
    });
}

async function reindex({ json }: JsonOption): Promise<ReindexReport> {
  const packs = await openHome(loadCommandSettings()).packs();
  if (packs === undefined)
    throw new Error(
      'The blocks of CAIRN_HOME are in one store with its index. `cairn verify` checks it, `cairn repair blocks` rebuilds it.',
    );
  let shownAt = performance.now();
  const onProgress = (report: ReindexReport) => {
    if (json || performance.now() - shownAt < progressMs) return;
    shownAt = performance.now();
    console.log(`${report.packs} packs read, ${report.indexed} added`);
  };
  try {
    return await packs.maintenance.reindex({ onProgress });
  } finally {
    await packs.close();
  }
}
