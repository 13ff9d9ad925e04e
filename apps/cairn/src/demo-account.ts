import type { Actor, Auth, Members } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import { generatePassword } from './generate-password.ts';
import type { CommandSettings } from './settings.ts';

/** Key of the demo account; `secret` only when it was just created. */
export interface DemoKey {
  readonly id: string;
  readonly secret: string | undefined;
}

/** Account that the first start creates for a trial. */
export interface DemoAccount {
  readonly key: DemoKey;
  /** Member of the console; `password` only when it was just created. */
  readonly operator: { readonly email: string; readonly password: string | undefined };
}

const accountName = 'demo';
const operatorEmail = 'operator@localhost';

/** Ensures that an operator can sign in to the console. */
export async function ensureOperator(members: Members, actor: Actor): Promise<DemoAccount['operator']> {
  const password = generatePassword();
  try {
    await members.add(accountName, { email: operatorEmail, password, role: 'operator', actor });
    return { email: operatorEmail, password };
  } catch (error) {
    if (!isCairnError(error, 'MEMBER_EXISTS')) throw error;
    return { email: operatorEmail, password: undefined };
  }
}

/**
 * Ensures a demo account with a billing card and a key. Fixed credentials in the settings replace an earlier key.
 * Otherwise the first start generates a key and prints its secret once.
 */
export async function ensureDemoAccount(
  auth: Auth,
  { CAIRN_DEMO_KEY: id, CAIRN_DEMO_SECRET: secret }: CommandSettings,
): Promise<DemoKey> {
  const isNew = await createIfAbsent(auth);
  if (id !== undefined && secret !== undefined) return await ensureFixedKey(auth, id, secret);
  const active = (await auth.keys(accountName)).find(({ revokedAt }) => revokedAt === undefined);
  if (!isNew && active) return { id: active.id, secret: undefined };
  const issued = await auth.createKey(accountName, { name: 'first start' });
  return { id: issued.key.id, secret: issued.secret };
}

async function createIfAbsent(auth: Auth): Promise<boolean> {
  try {
    await auth.account(accountName);
    return false;
  } catch (error) {
    if (!isCairnError(error, 'ACCOUNT_NOT_FOUND')) throw error;
  }
  await auth.createAccount({ name: accountName, plan: 'local' });
  await auth.attachCard(accountName, { brand: 'demo', last4: '0000' });
  return true;
}

async function ensureFixedKey(auth: Auth, id: string, secret: string): Promise<DemoKey> {
  try {
    await auth.authenticate({ keyId: id, secret });
    return { id, secret };
  } catch (error) {
    if (!isCairnError(error, 'CREDENTIALS_INVALID')) throw error;
  }
  const isThere = (await auth.keys(accountName)).some((key) => key.id === id && key.revokedAt === undefined);
  if (isThere) await auth.rotateKey(id, { secret, graceMs: 0 });
  else await auth.createKey(accountName, { name: 'fixed', id, secret });
  return { id, secret };
}
