import type { LocalNetwork } from '@cairn/chain-store';
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

/** Networks to import: the named one, or all that have block files. */
async function chosen(settings: CommandSettings, name: string | undefined): Promise<readonly LocalNetwork[]> {
  const [{ networksOf }, { isLocalNetwork }] = await Promise.all([
    import('../networks.ts'),
    import('@cairn/chain-store'),
  ]);
  const networks = networksOf(settings);
  if (name === undefined) return networks.filter(isLocalNetwork);
  const found = networks.find((network) => network.name === name);
  if (found === undefined)
    throw new Error(
      `There is no network ${JSON.stringify(name)}. Known are ${networks.map((network) => network.name).join(', ')}.`,
    );
  if (!isLocalNetwork(found))
    throw new Error(`The network ${name} is read from upstreams. It needs no import; start the gateway.`);
  return [found];
}
