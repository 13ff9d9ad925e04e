import type { Network } from '@cairn/chain-store';
import type { Command } from 'commander';
import { type CommandSettings, loadCommandSettings } from '../settings.ts';

/** `cairn import [network]` */
export function addImportCommand(program: Command): void {
  program
    .command('import [network]')
    .description(
      'Imports one or all networks of the networks file up to the end of their block files. Resumes a stopped import.',
    )
    .action(async (name: string | undefined) => {
      const settings = loadCommandSettings();
      const stop = new AbortController();
      process.once('SIGINT', () => stop.abort(new Error('Stopped. Imported blocks stay; run it again to resume.')));
      const networks = await chosen(settings, name);
      const { importNetwork } = await import('../import-network.ts');
      for (const network of networks) await importNetwork(settings, network, stop.signal);
    });
}

async function chosen(settings: CommandSettings, name: string | undefined): Promise<readonly Network[]> {
  const { networksOf } = await import('../networks.ts');
  const networks = networksOf(settings);
  if (name === undefined) return networks;
  const found = networks.filter((network) => network.name === name);
  if (found.length > 0) return found;
  throw new Error(
    `There is no network ${JSON.stringify(name)}. Known are ${networks.map((network) => network.name).join(', ')}.`,
  );
}
