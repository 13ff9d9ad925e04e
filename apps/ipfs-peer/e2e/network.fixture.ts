import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore, openSecrets } from '@cairn/auth';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { parseCid } from '@cairn/cid';
import { openPeerClient, peerAudience } from '@cairn/peer-api';
import { openLmdbPinStore } from '@cairn/pinning';
import { startService } from '@cairn/service-kit/testing';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { startKubo } from '../../../tools/peers/kubo.mjs';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Opens a home with its block store, as the storage API has it, and starts services on it. */
export async function openHome() {
  const home = mkdtempSync(join(tmpdir(), 'cairn-ipfs-peer-'));
  const store = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  const pins = await openLmdbPinStore({ directory: join(home, 'pins') });
  const accounts = await openLmdbAccountStore({ directory: join(home, 'accounts') });
  const { secrets } = await openSecrets(accounts, { home, key: undefined, keyFile: undefined });
  const auth = new Auth({ store: accounts, secrets });
  const token = () => auth.serviceToken(peerAudience);
  return {
    home,
    store,
    token,
    /** Pins a root, since peers get pinned blocks only. */
    pin: (account: string, root: string) =>
      pins.put(account, [
        { cid: parseCid(root), mode: 'recursive', name: undefined, createdAt: 0, size: { blocks: 1, bytes: 1 } },
      ]),
    unpin: (account: string, root: string) => pins.remove(account, [parseCid(root)]),
    auth,
    start: (env: Readonly<Record<string, string>> = {}) =>
      startService({
        main,
        home,
        env: {
          IPFS_PEER_LISTEN: '/ip4/127.0.0.1/tcp/0',
          IPFS_PEER_BOOTSTRAP: 'none',
          IPFS_PEER_ROUTING: 'none',
          IPFS_PEER_ALLOW_PRIVATE: 'yes',
          ...env,
        },
      }),
    connect: (url: string) => openPeerClient({ url, token }),
    async close() {
      await auth.close();
      await pins.close();
      await store.close();
      rmSync(home, { recursive: true });
    },
  };
}

type Config = Record<string, object | undefined>;

/** Starts a Kubo on loopback, isolated from the public network; undefined where Kubo is not built. */
export async function startLoopbackKubo(
  change: (config: Config) => void = () => {},
  { swarmKey }: { readonly swarmKey?: string } = {},
) {
  const address = `/ip4/127.0.0.1/tcp/${await freePort()}`;
  const kubo = await startKubo({
    isOffline: false,
    ...(swarmKey !== undefined && { swarmKey }),
    config: (config) => {
      config.Addresses = { ...(config.Addresses as object), Swarm: [address] };
      config.Discovery = { MDNS: { Enabled: false } };
      change(config as Config);
    },
  });
  if (kubo === undefined) return undefined;
  const call = async (path: string, init: RequestInit = {}) => {
    const url = `${kubo.url}/api/v0/${path}`;
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(60_000), ...init });
    if (!response.ok) throw new Error(`Kubo refused ${path}: ${await response.text()}`);
    return await response.text();
  };
  const { ID: peer } = JSON.parse(await call('id')) as { ID: string };
  return {
    peer,
    address: `${address}/p2p/${peer}`,
    provider: { peer, addresses: [address] },
    call,
    stop: kubo.stop,
    /** Adds a file of raw leaves and returns its root with the CIDs of all blocks. */
    async add(bytes: Uint8Array): Promise<readonly string[]> {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(bytes)]));
      const { Hash: root } = JSON.parse(await call('add?cid-version=1&raw-leaves=true&quieter=true', { body })) as {
        Hash: string;
      };
      const refs = (await call(`refs?arg=${root}&recursive=true&unique=true`)).split('\n').filter(Boolean);
      return [root, ...refs.map((line) => (JSON.parse(line) as { Ref: string }).Ref)];
    },
  };
}

export type LoopbackKubo = NonNullable<Awaited<ReturnType<typeof startLoopbackKubo>>>;
