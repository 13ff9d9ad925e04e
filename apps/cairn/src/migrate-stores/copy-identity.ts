import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountStore, keepSecret, openSecrets, secretKeyFile } from '@cairn/auth';
import { openPeerIdentity, peerIdentitySecret } from '@cairn/peer-api/identity';
import type { MigrateStoresOptions } from './migrate-stores-options.ts';

const identityFile = 'identity.pem';

/** Copies the identity of the node, sealed with the secrets key of the home, which the services need from now on as a setting. */
export async function copyIdentityToDatabase(
  target: AccountStore,
  { from: { CAIRN_HOME: home }, key, keyFile }: MigrateStoresOptions,
): Promise<void> {
  const file = keyFile ?? join(home, secretKeyFile);
  if (key === undefined && (await textOf(file)) === undefined) return;
  const { secrets } = await openSecrets(target, { home, key, keyFile: file, isShared: true });
  const pem = await textOf(join(home, identityFile));
  if (pem === undefined) return;
  const keep = (create: () => string) => keepSecret(target, secrets, { name: peerIdentitySecret, create });
  await openPeerIdentity({ keep: () => keep(() => pem) });
}

/** Writes the secrets keys and the identity of the node into a home. The first key seals, as before. */
export async function copyIdentityToHome(
  source: AccountStore,
  { to: { CAIRN_HOME: home }, key, keyFile }: MigrateStoresOptions,
): Promise<void> {
  const { secrets } = await openSecrets(source, { home, key, keyFile, isShared: true });
  const text = key ?? (keyFile === undefined ? undefined : await readFile(keyFile, 'utf8'));
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (text !== undefined) await writeNew(join(home, secretKeyFile), `${text.trimEnd()}\n`);
  const keep = (create: () => string) => keepSecret(source, secrets, { name: peerIdentitySecret, create });
  const { privateKey } = await openPeerIdentity({ keep });
  await writeNew(join(home, identityFile), privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
}

/** Writes a file for its owner alone. A file of an earlier run stays. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function textOf(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}
