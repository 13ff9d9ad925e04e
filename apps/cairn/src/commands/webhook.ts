import { Auth, openSecrets } from '@cairn/auth';
import { AccountWebhooks, type NewWebhook, type WebhookDescription } from '@cairn/pinning';
import { isPublicAddress } from '@cairn/public-http';
import type { Command } from 'commander';
import { print, time } from '../print.ts';
import { loadCommandSettings } from '../settings.ts';
import { openHome, secretSettings } from '../stores.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `cairn account webhook set|show|rotate|remove`: the rules of `/psa/webhook`, for operators. */
export function addWebhookCommands(accounts: Command): void {
  const group = accounts
    .command('webhook')
    .description('The webhook of an account, which gets the changes of its pin requests.');
  group
    .command('set <account> <url>')
    .description('Creates or replaces the webhook. Prints its secret, which cannot be read later.')
    .option('--json', 'print JSON')
    .action((name: string, url: string, options: JsonOption) =>
      withWebhooks(name, async (webhooks, account) => created(await webhooks.set(account, url), options)),
    );
  group
    .command('show <account>')
    .description('Shows the webhook without its secret, and the number of events that wait.')
    .option('--json', 'print JSON')
    .action((name: string, options: JsonOption) =>
      withWebhooks(name, async (webhooks, account) => {
        const webhook = await webhooks.get(account);
        print(webhook, options, linesOf(webhook));
      }),
    );
  group
    .command('rotate <account>')
    .description('Gives the webhook a new secret. The previous one signs beside it for a day.')
    .option('--json', 'print JSON')
    .action((name: string, options: JsonOption) =>
      withWebhooks(name, async (webhooks, account) => created(await webhooks.rotate(account), options)),
    );
  group
    .command('remove <account>')
    .description('Removes the webhook and the events that wait.')
    .option('--json', 'print JSON')
    .action((name: string, options: JsonOption) =>
      withWebhooks(name, async (webhooks, account) => {
        await webhooks.remove(account);
        print({}, options, [`Removed the webhook of ${name}.`]);
      }),
    );
}

async function withWebhooks(
  name: string,
  use: (webhooks: AccountWebhooks, account: string) => Promise<void>,
): Promise<void> {
  const settings = loadCommandSettings();
  const stores = openHome(settings);
  const accounts = await stores.accounts();
  try {
    const { id } = await new Auth({ store: accounts }).account(name);
    const { secrets: seals } = await openSecrets(accounts, secretSettings(settings));
    const requests = await stores.pinRequests();
    const allowsPrivate = settings.STORAGE_WEBHOOK_PRIVATE === 'yes';
    const webhooks = new AccountWebhooks({ store: requests.webhooks, seals, allowsPrivate, isPublicAddress });
    await use(webhooks, id).finally(() => requests.close());
  } finally {
    await accounts.close();
  }
}

function created(webhook: NewWebhook, options: JsonOption): void {
  print(webhook, options, [
    ...linesOf(webhook),
    `  secret ${webhook.secret}`,
    'Store the secret: it is not shown again.',
  ]);
}

function linesOf({ url, createdAt, waiting }: WebhookDescription): string[] {
  return [url, `  created ${time(createdAt)}, ${waiting} events wait`];
}
