import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLocalNetwork, loadNetworks } from '@cairn/chain-store';
import { CairnError } from '@cairn/errors';
import { loadSettings, sampleNetworkFile } from '@cairn/service-kit';
import { flush } from '../flush.ts';
import { settingsShape } from '../settings.ts';
import { loadServiceSettings } from '../workspace.ts';
import { type Answers, defaultAnswers, portNames } from './answers.ts';

/** Names of the files that `cairn init` writes. */
const fileNames = { settings: 'cairn.config.json', networks: 'networks.json' } as const;

export interface WriteOptions {
  /** Directory of the files: where the services are started. */
  readonly directory: string;
  /** Replaces existing files. */
  readonly isForced: boolean;
}

/** Returns the files that exist already. */
export function existingFiles(directory: string): string[] {
  return Object.values(fileNames)
    .map((name) => join(directory, name))
    .filter((path) => existsSync(path));
}

/**
 * Checks the answers as the services do, then writes both files with mode 0600. Settings in the environment are not read: they win
 * over the files when the services start.
 * @returns paths of the written files
 * @throws FILE_EXISTS, SETTINGS_INVALID, NETWORKS_INVALID; nothing is changed then
 */
export async function writeFiles(answers: Answers, { directory, isForced }: WriteOptions): Promise<string[]> {
  const [existing] = existingFiles(directory);
  if (existing !== undefined && !isForced)
    throw new CairnError('FILE_EXISTS', `${existing} exists already.`, {
      hint: 'Remove it, or replace it with --force.',
    });
  await mkdir(directory, { recursive: true });
  const networks = networksContent(answers);
  const partial = (name: string) => join(directory, `${name}.partial`);
  try {
    if (networks !== undefined) {
      await writePrivate(partial(fileNames.networks), networks);
      loadNetworks(partial(fileNames.networks));
    }
    const settings = settingsContent(answers, networks === undefined ? undefined : `${fileNames.networks}.partial`);
    await writePrivate(partial(fileNames.settings), settings);
    const env = { CAIRN_CONFIG: partial(fileNames.settings) };
    loadSettings({ ...(await loadServiceSettings()), ...settingsShape }, { env, directory });
    await writePrivate(
      partial(fileNames.settings),
      settingsContent(answers, networks === undefined ? undefined : fileNames.networks),
    );
    const written = networks === undefined ? [fileNames.settings] : [fileNames.networks, fileNames.settings];
    for (const name of written) await rename(partial(name), join(directory, name));
    await flush(directory);
    return written.map((name) => join(directory, name));
  } finally {
    for (const name of Object.values(fileNames)) await rm(partial(name), { force: true });
  }
}

/** Contains only what differs from the defaults, so that a later version can change these. */
function settingsContent(answers: Answers, networks: string | undefined): object {
  const { home, bind, ports, peer, tls } = answers;
  const changed = portNames.filter((name) => ports[name] !== defaultAnswers.ports[name]);
  return {
    CAIRN_HOME: home,
    ...(bind !== defaultAnswers.bind && { CAIRN_BIND: bind }),
    ...Object.fromEntries(changed.map((name) => [name, ports[name]])),
    ...(!peer && { CAIRN_IPFS_PEER: 'off' }),
    ...(tls && { TLS_CERT: tls.cert, TLS_KEY: tls.key }),
    ...(networks !== undefined && { CAIRN_NETWORKS: networks }),
  };
}

/** Undefined where the default, the sample network, serves. */
function networksContent({ networks, requireFrom }: Answers): object | undefined {
  if (networks.length === 0) return requireFrom ? undefined : { networks: sampleNetworks() };
  return {
    networks: networks.map(({ name, upstreams, head }, index) => ({
      name,
      hosts: [...(index === 0 ? ['*'] : []), `${name}.localhost`],
      genesis: name,
      upstreams,
      head,
      ...(!requireFrom && { requireFrom: false }),
    })),
  };
}

function sampleNetworks(): object[] {
  return loadNetworks(sampleNetworkFile(import.meta.url, 'networks.json'))
    .filter(isLocalNetwork)
    .map((network) => ({ ...network, requireFrom: false }));
}

/** Writes JSON that only the owner can read: URLs of upstreams contain keys. Durable on return. */
async function writePrivate(path: string, content: object): Promise<void> {
  await rm(path, { force: true });
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
