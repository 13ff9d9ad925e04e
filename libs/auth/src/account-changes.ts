import type { Account, ApiKey } from './account.ts';
import { requireAmount, requireName, requirePattern } from './checks.ts';

const accountStatuses: readonly Account['status'][] = ['active', 'suspended'];

/** Changes of an account that are made in one transaction. */
export interface AccountChanges {
  /** Name of the plan. The caller makes sure that it exists. */
  readonly plan?: string | undefined;
  /** A suspended account is refused by every service. */
  readonly status?: Account['status'] | undefined;
  /** Bytes that the account may keep in storage; null for the limit of its plan. */
  readonly quotaBytes?: number | null | undefined;
  /** Whether IPFS peers may fetch its pinned blocks. */
  readonly servesPeers?: boolean | undefined;
  /** Billing card; null removes it. */
  readonly card?: { readonly brand: string; readonly last4: string } | null | undefined;
}

/** Change of one field, with its entry in the audit log. */
export interface FieldChange {
  readonly action: string;
  readonly change?: Readonly<Record<string, unknown>>;
  /** Returns the earlier values for the audit log. */
  before(account: Account): Readonly<Record<string, unknown>>;
  /** Returns the changed account, or the same object if the account already has the value. */
  apply(account: Account): Account;
}

export const planPattern = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * Validates changes and splits them into one change per field, in the order of the audit log.
 * @param now milliseconds since 1970, recorded with a card
 * @throws VALUE_INVALID naming the field
 */
export function fieldChanges(
  { plan, status, quotaBytes, servesPeers, card }: AccountChanges,
  now: number,
): FieldChange[] {
  const changes: FieldChange[] = [];
  if (plan !== undefined) {
    requirePattern('plan', plan, planPattern, 'a name such as free');
    changes.push({
      action: 'account.plan',
      change: { plan },
      before: (account) => ({ plan: account.plan }),
      apply: (account) => (account.plan === plan ? account : { ...account, plan }),
    });
  }
  if (quotaBytes !== undefined) {
    const whole = quotaBytes === null || Number.isInteger(quotaBytes) ? (quotaBytes ?? 0) : Number.NaN;
    requireAmount('quota', whole, 'a whole number of bytes');
    const quota = quotaBytes ?? undefined;
    changes.push({
      action: 'account.quota',
      change: { quotaBytes: quota },
      before: (account) => ({ quotaBytes: account.quotaBytes }),
      apply: (account) => (account.quotaBytes === quota ? account : { ...account, quotaBytes: quota }),
    });
  }
  if (servesPeers !== undefined)
    changes.push({
      action: 'account.serve',
      change: { servesPeers },
      before: (account) => ({ servesPeers: account.servesPeers ?? false }),
      apply: (account) => ((account.servesPeers ?? false) === servesPeers ? account : { ...account, servesPeers }),
    });
  if (card !== undefined) changes.push(card === null ? cardRemoval : cardAttachment(card, now));
  if (status !== undefined) {
    requireName('status', status, accountStatuses);
    changes.push({
      action: 'account.status',
      change: { status },
      before: (account) => ({ status: account.status }),
      apply: (account) => (account.status === status ? account : { ...account, status }),
    });
  }
  return changes;
}

const cardRemoval: FieldChange = {
  action: 'card.remove',
  before: cardBefore,
  apply: (account) => (account.card === undefined ? account : { ...account, card: undefined }),
};

function cardAttachment(
  { brand, last4 }: { readonly brand: string; readonly last4: string },
  now: number,
): FieldChange {
  requirePattern('brand', brand, /^[a-z][a-z0-9 -]{1,31}$/, 'a brand in lower case such as visa');
  requirePattern('last4', last4, /^\d{4}$/, 'the last four digits of the number');
  return {
    action: 'card.attach',
    change: { brand, last4 },
    before: cardBefore,
    apply: (account) =>
      account.card?.brand === brand && account.card.last4 === last4
        ? account
        : { ...account, card: { brand, last4, attachedAt: now } },
  };
}

function cardBefore({ card }: Account): Readonly<Record<string, unknown>> {
  return card === undefined ? {} : { brand: card.brand, last4: card.last4 };
}

/** Limits of a key, as the audit log has them. */
export function limitsOf({ policy, expiresAt }: ApiKey): Readonly<Record<string, unknown>> {
  return { policy, expiresAt };
}
