import type { AccountStore, ApiKey } from '@cairn/auth';
import { differences, digestOf, withBoth } from './compare.ts';
import type { MigrationStep } from './migration-step.ts';

/** Accounts, keys, members and the audit log. Members sign in again. */
export const accountsStep: MigrationStep = {
  name: 'accounts',
  copy: ({ from, to, copies }) =>
    withBoth([from.accounts, to.accounts], async (source) => ({ ...(await copies.accounts(source)) })),
  compare: ({ from, to }) =>
    withBoth([from.accounts, to.accounts], async (source, target) => [
      ...differences('accounts', await digestOf(source.accounts()), await digestOf(target.accounts())),
      ...differences('keys', await digestOf(keysOf(source)), await digestOf(keysOf(target))),
      ...differences('members', await digestOf(source.members.list()), await digestOf(target.members.list())),
      ...differences('audit entries', await digestOf(source.auditEntries()), await digestOf(target.auditEntries())),
    ]),
};

async function* keysOf(store: AccountStore): AsyncGenerator<ApiKey> {
  for await (const { id } of store.accounts()) yield* store.keys(id);
}
