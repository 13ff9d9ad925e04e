import type { Account } from './account.ts';
import { check } from './checks.ts';

/** Changes of an account that take effect together or not at all. */
export interface AccountChanges {
  /** Name of the plan. The caller makes sure that it exists. */
  readonly plan?: string | undefined;
  /** A suspended account is refused by every service. */
  readonly status?: Account['status'] | undefined;
  /** Bytes that the account may hold in storage; null for the limit of its plan. */
  readonly quotaBytes?: number | null | undefined;
  /** Billing card; null removes it. */
  readonly card?: { readonly brand: string; readonly last4: string } | null | undefined;
}

/** One field that changes: its entry in the audit log, and the account after it. */
export interface FieldChange {
  readonly action: string;
  readonly change?: Readonly<Record<string, unknown>>;
  /** Returns the same object where the account already has the value. */
  apply(account: Account): Account;
}

export const planPattern = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * Turns changes into steps, in the order of the audit log.
 * @param now milliseconds since 1970, for the time of the card
 * @throws VALUE_INVALID naming the field, before anything is changed
 */
export function fieldChanges({ plan, status, quotaBytes, card }: AccountChanges, now: number): FieldChange[] {
  const changes: FieldChange[] = [];
  if (plan !== undefined) {
    check('plan', plan, planPattern, 'a name such as free');
    changes.push({
      action: 'account.plan',
      change: { plan },
      apply: (account) => (account.plan === plan ? account : { ...account, plan }),
    });
  }
  if (quotaBytes !== undefined) {
    check('quota', String(quotaBytes ?? 0), /^\d{1,16}$/, 'a whole number of bytes');
    const quota = quotaBytes ?? undefined;
    changes.push({
      action: 'account.quota',
      change: { quotaBytes: quota },
      apply: (account) => (account.quotaBytes === quota ? account : { ...account, quotaBytes: quota }),
    });
  }
  if (card !== undefined) changes.push(card === null ? removal : attachment(card, now));
  if (status !== undefined)
    changes.push({
      action: 'account.status',
      change: { status },
      apply: (account) => (account.status === status ? account : { ...account, status }),
    });
  return changes;
}

const removal: FieldChange = {
  action: 'card.remove',
  apply: (account) => (account.card === undefined ? account : { ...account, card: undefined }),
};

function attachment({ brand, last4 }: { readonly brand: string; readonly last4: string }, now: number): FieldChange {
  check('brand', brand, /^[a-z][a-z0-9 -]{1,31}$/, 'a brand in lower case such as visa');
  check('last4', last4, /^\d{4}$/, 'the last four digits of the number');
  return {
    action: 'card.attach',
    change: { brand, last4 },
    apply: (account) =>
      account.card?.brand === brand && account.card.last4 === last4
        ? account
        : { ...account, card: { brand, last4, attachedAt: now } },
  };
}
