import { bytes } from '../../format.ts';

type Values = Readonly<Record<string, unknown>>;

/** Entry of the audit log. */
export interface AuditEntry {
  readonly at: number;
  readonly actor: { readonly who: string; readonly from: string };
  /** For example `key.revoke`. */
  readonly action: string;
  readonly accountId: string;
  readonly accountName?: string;
  /** Reference of the changed key. */
  readonly key?: string;
  readonly change?: Values;
  readonly before?: Values;
}

/** One changed value, as a person reads it. */
export interface Difference {
  readonly field: string;
  /** Absent if the entry has no earlier value. */
  readonly before?: string;
  readonly after: string;
}

const sentences: Readonly<Record<string, (entry: AuditEntry) => string>> = {
  'account.create': () => 'created the account',
  'account.plan': () => 'changed the plan',
  'account.quota': () => 'changed the storage quota',
  'account.serve': ({ change }) => `${change?.servesPeers ? 'allowed' : 'forbade'} IPFS peers to fetch the files`,
  'account.status': ({ change }) =>
    change?.status === 'suspended' ? 'suspended the account' : 'activated the account',
  'account.alerts': () => 'changed the usage alerts',
  'account.view': ({ change }) => `viewed the account: ${text(change?.reason)}`,
  'card.attach': () => 'attached a billing card',
  'card.remove': () => 'removed the billing card',
  'key.create': ({ key }) => `created the key ${key ?? ''}`,
  'key.limit': ({ key }) => `changed the limits of the key ${key ?? ''}`,
  'key.rotate': ({ key }) => `gave the key ${key ?? ''} a new secret`,
  'key.revoke': ({ key }) => `revoked the key ${key ?? ''}`,
  'member.create': ({ change }) => `added the member ${text(change?.email)}`,
  'member.invite': ({ change }) => `invited ${text(change?.email)}`,
  'member.withdraw': ({ change }) => `withdrew the invitation of ${text(change?.email)}`,
  'member.role': ({ change }) => `changed the role of ${text(change?.email ?? change?.memberId)}`,
  'member.remove': ({ change }) => `removed the member ${text(change?.email ?? change?.memberId)}`,
  'member.password': () => 'set a new password',
  'member.email.verify': () => 'verified the e-mail address',
  'member.totp.confirm': () => 'turned the second factor on',
  'member.totp.remove': () => 'turned the second factor off',
  'member.identity.link': ({ change }) => `signed in with ${text(change?.issuer)} for the first time`,
  'member.passkey.add': ({ change }) => `added the passkey ${text(change?.name)}`,
  'member.passkey.remove': ({ change }) => `removed the passkey ${text(change?.name)}`,
  'member.token.create': ({ change }) => `created the API token ${text(change?.name)}`,
  'member.token.revoke': ({ change }) => `revoked the API token ${text(change?.name)}`,
};

const fields: Readonly<Record<string, string>> = {
  name: 'Name',
  plan: 'Plan',
  quotaBytes: 'Quota',
  status: 'Status',
  brand: 'Card',
  last4: 'Last four digits',
  role: 'Role',
  expiresAt: 'Ends',
  graceMs: 'Old secret works for',
  isReadOnly: 'Only reads',
  mail: 'Mail',
  webhook: 'Webhook',
};

/** Fields that the sentence already has. */
const inSentence = ['email', 'issuer', 'memberId', 'reason', 'minutes', 'servesPeers'];

/** Sentence about the change, without its subject. An action of a later version is shown as it is. */
export function sentenceOf(entry: AuditEntry): string {
  return (sentences[entry.action] ?? (({ action }) => action))(entry).trimEnd();
}

/** Changed values. The limits of a key are compared one by one. */
export function differencesOf({ action, change = {}, before }: AuditEntry): Difference[] {
  const isNamed = /^member\.(token|passkey)\./.test(action);
  const names = [...new Set([...Object.keys(change), ...Object.keys(before ?? {})])];
  const shown = names.filter((name) => !inSentence.includes(name) && !(isNamed && name === 'name'));
  return shown.flatMap((name) => {
    // A change names all fields it sets; the entry may know earlier values of others.
    if (!(name in change) && Object.keys(change).length > 0 && name !== 'quotaBytes') return [];
    if (name === 'policy')
      return policyDifferences(change.policy as Values, before && ((before.policy ?? {}) as Values));
    const after = shownValue(name, change[name]);
    const earlier = before === undefined ? undefined : shownValue(name, before[name]);
    if (after === earlier) return [];
    return [{ field: fields[name] ?? name, after, ...(earlier !== undefined && { before: earlier }) }];
  });
}

function policyDifferences(after: Values = {}, before: Values | undefined): Difference[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before ?? {})])];
  return names.flatMap((name) => {
    const [now, earlier] = [listOf(after[name]), before && listOf(before[name])];
    return now === earlier ? [] : [{ field: name, after: now, ...(earlier !== undefined && { before: earlier }) }];
  });
}

function listOf(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') || 'none' : 'no limit';
}

function shownValue(name: string, value: unknown): string {
  if (value === undefined || value === null) return name === 'quotaBytes' ? 'that of the plan' : 'none';
  if (name === 'quotaBytes') return bytes(Number(value));
  if (name === 'graceMs') return `${Number(value) / 3_600_000} h`;
  if (name === 'expiresAt') return new Date(Number(value)).toLocaleDateString(undefined, { dateStyle: 'medium' });
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return text(value);
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value ?? '');
}
