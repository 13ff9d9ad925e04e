import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, Members, openLmdbAccountStore } from '@cairn/auth';
import { openLmdbPlanStore, type PlanStore } from '@cairn/metering';
import { type RunningService, startService } from '@cairn/service-kit/testing';

const mainOf = (name: string) => fileURLToPath(new URL(`../../${name}/dist/main.js`, import.meta.url));

/** Path of Debian's Chromium. The tests download no browser. */
export const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Starts the console and the services behind it over a temporary home. */
export interface Stage {
  readonly home: string;
  readonly storage: RunningService;
  readonly gateway: RunningService;
  readonly console: RunningService;
  /** These are present if they were asked for. */
  readonly peer: RunningService | undefined;
  readonly ipfsGateway: RunningService | undefined;
  readonly auth: Auth;
  readonly members: Members;
  readonly plans: PlanStore;
  stop(): Promise<void>;
}

/** Starts an IPFS peer on loopback, without bootstrap nodes. */
export function startPeer(home: string): Promise<RunningService> {
  const env = {
    IPFS_PEER_LISTEN: '/ip4/127.0.0.1/tcp/0',
    IPFS_PEER_BOOTSTRAP: 'none',
    IPFS_PEER_ROUTING: 'none',
    IPFS_PEER_ALLOW_PRIVATE: 'yes',
  };
  return startService({ main: mainOf('ipfs-peer'), home, env });
}

/** @param env environment of the console; `servicesEnv`: environment of the services behind it */
export async function setStage(
  env: Readonly<Record<string, string>> = {},
  servicesEnv: Readonly<Record<string, string>> = {},
  {
    hasPeer = false,
    hasIpfsGateway = process.env.CAIRN_PICTURES !== undefined,
  }: { readonly hasPeer?: boolean; readonly hasIpfsGateway?: boolean } = {},
): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), 'cairn-console-'));
  const peer = hasPeer ? await startPeer(home) : undefined;
  const network: Record<string, string> = peer === undefined ? {} : { IPFS_PEER_URL: peer.url };
  const storage = await startService({ main: mainOf('storage-api'), home, env: { ...network, ...servicesEnv } });
  const gateway = await startService({ main: mainOf('rpc-gateway'), home, env: servicesEnv });
  const ipfsGateway = hasIpfsGateway ? await startService({ main: mainOf('ipfs-gateway'), home }) : undefined;
  const services = { CAIRN_STORAGE_URL: storage.url, CAIRN_GATEWAY_URL: gateway.url, ...network };
  const links: Record<string, string> = ipfsGateway === undefined ? {} : { CAIRN_IPFS_GATEWAY_URL: ipfsGateway.url };
  const pages = await startService({ main: mainOf('console'), home, env: { ...services, ...links, ...env } });
  const directory = join(home, 'accounts');
  const store = await openLmdbAccountStore({ directory });
  const auth = new Auth({ store });
  const plans = await openLmdbPlanStore({ directory });
  return {
    home,
    storage,
    gateway,
    console: pages,
    peer,
    ipfsGateway,
    auth,
    members: new Members({ auth, store: store.members }),
    plans,
    async stop() {
      await Promise.all([pages, ipfsGateway, gateway, storage, peer].map((service) => service?.stop()));
      await plans.close();
      await auth.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
