import { resolve } from 'node:path';
import type { SnapshotSummary } from '@cairn/chain-store';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { print } from '../print.ts';
import { loadCommandSettings } from '../settings.ts';
import { topCommand } from '../top-commands.ts';

interface SnapshotCommandOptions {
  readonly out?: string;
  readonly publish?: boolean;
  readonly states?: number;
  readonly json?: boolean;
}

interface RestoreCommandOptions {
  readonly network?: string;
  readonly head?: string;
  readonly published?: boolean;
  readonly signedBy?: readonly string[];
  readonly json?: boolean;
}

const hashPattern = /^0x[0-9a-f]{64}$/;

/** `cairn chain snapshot`, `cairn chain restore` */
export function addChainCommands(program: Command): void {
  const chain = topCommand(program, 'chain');
  chain
    .command('snapshot <network>')
    .description('Writes an imported chain with its state to one verifiable file while the services run.')
    .option('--out <file>', 'file to create (default: <network>-<head>.car in this directory)')
    .option('--publish', 'store it in CAIRN_OBJECT_STORE as the newest one of the network, signed, instead of a file')
    .option('--states <count>', 'states before that of the head, 0 to 1024 (default: 1024)', parseStates)
    .option('--json', 'print JSON')
    .action(async (name: string, { out, publish, states, json }: SnapshotCommandOptions) => {
      if (publish === true) {
        if (out !== undefined) throw new UsageError('--publish writes no file. Remove --out.');
        return await publishSnapshot(name, { states, json });
      }
      const { snapshotNetwork } = await import('../chain-snapshots.ts');
      const options = { out: out && resolve(out), states, isQuiet: json === true, signal: stopSignal() };
      const { file, ...summary } = await snapshotNetwork(loadCommandSettings(), name, options);
      print({ file, ...summary }, { json }, [
        `Wrote ${file}: ${describe(summary)}`,
        `Restore it with --head ${summary.head.hash}`,
      ]);
    });
  chain
    .command('restore [file]')
    .description('Creates the chain of a network from a snapshot and verifies all of it. Resumes a stopped restore.')
    .option('--network <name>', 'network of the networks file (default: the name in the snapshot)')
    .option('--head <hash>', 'hash of the newest block, from a source that you trust', parseHash)
    .option('--published', 'restore the newest snapshots in CAIRN_OBJECT_STORE, for all networks without a chain')
    .option(
      '--signed-by <keys>',
      'public keys whose snapshots are accepted (default: those of this deployment)',
      parseKeys,
    )
    .option('--json', 'print JSON')
    .action(async (file: string | undefined, options: RestoreCommandOptions) => {
      const { network, head, json } = options;
      if (options.published === true) {
        if (file !== undefined || head !== undefined) throw new UsageError('--published takes no file and no --head.');
        return await restorePublished(options);
      }
      if (file === undefined) throw new UsageError('Name a file, or restore with --published.');
      if (options.signedBy !== undefined) throw new UsageError('--signed-by needs --published.');
      const { restoreNetwork } = await import('../chain-snapshots.ts');
      const { name, ...summary } = await restoreNetwork(loadCommandSettings(), resolve(file), {
        network,
        head: head as `0x${string}` | undefined,
        isQuiet: json === true,
        signal: stopSignal(),
      });
      const trusted = head === undefined;
      print({ network: name, isHeadTrusted: trusted, ...summary }, { json }, [
        `Restored and verified the chain of ${name}: ${describe(summary)}`,
        ...(trusted
          ? [`The head was taken from the file. Compare its hash ${summary.head.hash} with a source that you trust.`]
          : []),
      ]);
    });
}

async function publishSnapshot(name: string, { states, json }: SnapshotCommandOptions): Promise<void> {
  const { publishNetwork } = await import('../published-snapshots.ts');
  const options = { states, isQuiet: json === true, signal: stopSignal() };
  const published = await publishNetwork(loadCommandSettings(), name, options);
  print(published, { json }, [
    `Published ${published.key}: ${describe(published)}`,
    `Other deployments restore it with --published --signed-by ${published.publicKey}`,
  ]);
}

async function restorePublished({ network, signedBy, json }: RestoreCommandOptions): Promise<void> {
  const { restorePublishedNetworks } = await import('../published-snapshots.ts');
  const options = { network, signedBy, isQuiet: json === true, signal: stopSignal() };
  const restored = await restorePublishedNetworks(loadCommandSettings(), options);
  const lines = restored.map(({ network: name, snapshot, skipped }) =>
    snapshot ? `Restored and verified the chain of ${name}: ${describe(snapshot)}` : `${name} ${skipped}.`,
  );
  print(restored, { json }, lines);
}

function describe({ head, base, bytes, chunks, root }: SnapshotSummary): string {
  return `${head.number + 1} blocks, states from block ${base} on, ${bytes} bytes in ${chunks} chunks, ${root}`;
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('Stopped. A restore resumes when the command runs again.')));
  return stop.signal;
}

function parseStates(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 1024) return Number(text);
  throw new InvalidArgumentError('Expected a number from 0 to 1024.');
}

function parseKeys(text: string): readonly string[] {
  const keys = text.split(',').map((key) => key.trim());
  if (keys.every((key) => /^[0-9a-f]{64}$/.test(key))) return keys;
  throw new InvalidArgumentError('Expected public keys of 64 hexadecimal digits, separated by commas.');
}

function parseHash(text: string): string {
  if (hashPattern.test(text)) return text;
  throw new InvalidArgumentError('Expected a block hash: 0x and 64 digits in lower case.');
}
