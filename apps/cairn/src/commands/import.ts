import type { LocalNetwork } from '@cairn/chain-store';
import type { Command } from 'commander';
import { type CommandSettings, loadCommandSettings } from '../settings.ts';
import { topCommand } from '../top-commands.ts';

/** `cairn import [network]` */
export function addImportCommand(program: Command): void {
  topCommand(program, 'import').action(async (name: string | undefined) => {
    const settings = loadCommandSettings();
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort(new Error('Stopped. Imported blocks stay; run it again to resume.')));
    const networks = await chosen(settings, name);
    const { importNetwork } = await import('../import-network.ts');
    for (const network of networks) await importNetwork(settings, network, stop.signal);
  });
}

/** Networks to import: the named one, or all that have block files. */
async function chosen(settings: CommandSettings, name: string | undefined): Promise<readonly LocalNetwork[]> {
  const { localNetwork, localNetworks } = await import('../networks.ts');
  return name === undefined ? localNetworks(settings) : [localNetwork(settings, name)];
}
