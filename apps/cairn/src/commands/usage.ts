import { byteText } from '@cairn/service-kit';
import type { Command } from 'commander';
import { countText, print } from '../print.ts';
import { withAuth } from '../stores.ts';
import { planOf } from './plan.ts';

/** `cairn account usage`, as part of `cairn account`. */
export function addUsageCommand(group: Command): void {
  group
    .command('usage <account>')
    .description('Shows the storage of an account: pins, the tree of its files, and blocks without a pin.')
    .option('--recount', 'recount pins, tree and blocks, and compare')
    .option('--json', 'print JSON')
    .action((name: string, options: { readonly recount?: boolean; readonly json?: boolean }) =>
      withAuth(async (auth, settings) => {
        const account = await auth.account(name);
        const { id } = account;
        const quotaBytes =
          account.quotaBytes ?? (await planOf(account.plan))?.storedBytes ?? settings.STORAGE_QUOTA_BYTES;
        const { readUsage } = await import('../read-usage.ts');
        const { counted, recounted } = await readUsage(settings, id, options.recount === true);
        const usage = { ...counted, quotaBytes, ...(recounted && { recounted }) };
        const isSame = JSON.stringify(counted) === JSON.stringify(recounted);
        print(usage, options, [
          `${countText(counted.pins)} pins of ${countText(counted.blocks)} blocks, ${byteText(counted.bytes)}; files ${byteText(counted.fileBytes)}`,
          `${countText(counted.unpinned.blocks)} blocks without a pin, ${byteText(counted.unpinned.bytes)}`,
          quotaBytes === undefined ? 'no quota' : `quota ${byteText(quotaBytes)}`,
          ...(recounted ? [isSame ? 'recount: equal' : `recount: ${JSON.stringify(recounted)}`] : []),
        ]);
        if (recounted && !isSame) process.exitCode = 1;
      }),
    );
}
