import { type AccountStore, rotateSecrets, type SecretHolder, type SecretSettings, secretsOf } from '@cairn/auth';
import type { Command } from 'commander';
import { print } from '../print.ts';
import { loadCommandSettings } from '../settings.ts';
import { openHome, requireEmbedded, secretSettings } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

/** Rotation of a key that services on several machines share. */
const sharedRotation =
  'Set CAIRN_SECRETS_KEY to "<old key>,<new key>" and restart all services, then to "<new key>,<old key>" and restart them again.';

interface JsonOption {
  readonly json?: boolean;
}

/** `cairn secrets status|rotate` */
export function addSecretsCommands(program: Command): void {
  const group = topCommand(program, 'secrets');
  group
    .command('status')
    .description('Counts secrets that are sealed with the key in use, with an older one, and with a lost one.')
    .option('--json', 'print JSON')
    .action((options: JsonOption) =>
      withSecrets(async (store, settings, holders) => {
        const counts = await secretsOf(store, settings, holders);
        const { sealed, stale, lost } = counts;
        print(counts, options, [
          `${sealed} secrets are sealed with the key in use, ${stale} wait for the next start of a service.`,
          ...Object.entries(lost).map(([id, count]) => `LOST  ${count} are sealed with key ${id}, which is missing.`),
        ]);
        if (Object.keys(lost).length > 0) process.exitCode = 1;
      }),
    );
  group
    .command('rotate')
    .description('Writes a new key to the key file and seals all secrets with it. Works while services run.')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      requireEmbedded(loadCommandSettings(), 'secrets rotate', sharedRotation);
      await withSecrets(async (store, settings, holders) => {
        const { keyId, resealed } = await rotateSecrets(store, settings, holders);
        print({ keyId, resealed }, options, [
          `Key ${keyId} is in use; ${resealed} secrets were sealed with it.`,
          'Replace the stored copy of the key file, apart from backups.',
        ]);
      });
    });
}

async function withSecrets(
  use: (store: AccountStore, settings: SecretSettings, holders: readonly SecretHolder[]) => Promise<void>,
): Promise<void> {
  const settings = loadCommandSettings();
  const stores = openHome(settings);
  const store = await stores.accounts();
  const names = stores.has('names') ? await stores.names() : undefined;
  const requests = stores.has('pins') ? await stores.pinRequests() : undefined;
  try {
    const holders = [names?.keys, requests?.webhooks].filter((holder) => holder !== undefined);
    await use(store, secretSettings(settings), holders);
  } finally {
    await requests?.close();
    await names?.close();
    await store.close();
  }
}
