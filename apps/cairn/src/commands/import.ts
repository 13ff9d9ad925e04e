import type { LocalNetwork } from '@cairn/chain-store';
import type { Command } from 'commander';
import { print } from '../print.ts';
import { type CommandSettings, loadCommandSettings } from '../settings.ts';
import { topCommand } from '../top-commands.ts';

/** `cairn import [network]` */
export function addImportCommand(program: Command): void {
  topCommand(program, 'import')
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, options: { readonly json?: boolean }) => {
      const settings = loadCommandSettings();
      const stop = new AbortController();
      process.once('SIGINT', () => stop.abort(new Error('Stopped. Imported blocks stay; run it again to resume.')));
      const networks = await chosen(settings, name);
      const { importNetwork } = await import('../import-network.ts');
      const imported = [];
      for (const network of networks)
        imported.push(await importNetwork(settings, network, { signal: stop.signal, isQuiet: options.json === true }));
      print(imported, options, []);
    });
}

/** Networks to import: the named one, or all that have block files. */
async function chosen(settings: CommandSettings, name: string | undefined): Promise<readonly LocalNetwork[]> {
  const { localNetwork, localNetworks } = await import('../networks.ts');
  return name === undefined ? localNetworks(settings) : [localNetwork(settings, name)];
}
