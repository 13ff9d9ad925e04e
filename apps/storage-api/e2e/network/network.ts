import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { howToEnable } from '../../../../tools/peers/binaries.mjs';
import { freePort } from '../../../../tools/peers/free-port.mjs';
import { startKubo } from '../../../../tools/peers/kubo.mjs';
import { Service } from '../service.ts';

const peerMain = fileURLToPath(new URL('../../../ipfs-peer/dist/main.js', import.meta.url));

/** A real Kubo on loopback with a DHT of its own. */
export type Kubo = NonNullable<Awaited<ReturnType<typeof startKubo>>> & {
  readonly id: string;
  /** Address with the peer ID. */
  readonly address: string;
};

/** The storage API with its IPFS peer, over one home. Key `ann` is an account, key `bob` has the grant `node`. */
export class Network {
  readonly service = new Service();
  #peer: RunningService | undefined;

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const { service } = this;
    await service.makeAccounts();
    const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(service.home, 'accounts') }) });
    await auth.limitKey('bob', { policy: { grants: ['node'] } });
    await auth.close();
    await this.startPeer(env);
    await service.start({ IPFS_PEER_URL: this.#peer?.url ?? '' });
  }

  async startPeer(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#peer = await startService({
      main: peerMain,
      home: this.service.home,
      env: {
        IPFS_PEER_LISTEN: `/ip4/127.0.0.1/tcp/${await freePort()}`,
        IPFS_PEER_BOOTSTRAP: 'none',
        IPFS_PEER_ROUTING: 'dhtserver',
        IPFS_PEER_ALLOW_PRIVATE: 'yes',
        ...env,
      },
    });
  }

  async stopPeer(): Promise<void> {
    await this.#peer?.stop('SIGKILL');
  }

  async remove(): Promise<void> {
    await this.service.stop('SIGKILL');
    await this.stopPeer();
    await this.service.remove();
  }
}

/** `change` may change the configuration. @throws Error where Kubo is not built */
export async function startKuboPeer(change: (config: Record<string, unknown>) => void = () => {}): Promise<Kubo> {
  const transport = `/ip4/127.0.0.1/tcp/${await freePort()}`;
  const kubo = await startKubo({
    isOffline: false,
    config: (config) => {
      config.Addresses = { ...(config.Addresses as object), Swarm: [transport] };
      config.Routing = { Type: 'dhtserver', LoopbackAddressesOnLanDHT: true };
      change(config);
    },
  });
  if (kubo === undefined) throw new Error(howToEnable('kubo'));
  const answer = await fetch(`${kubo.url}/api/v0/id`, { method: 'POST' });
  const { ID: id } = (await answer.json()) as { ID: string };
  return { ...kubo, id, address: `${transport}/p2p/${id}` };
}

/** Waits until the DHT of a Kubo has a node, which it identifies in the background. */
export async function inTableOf({ url }: Kubo, id: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(`${url}/api/v0/stats/dht`, { method: 'POST' });
    if ((await answer.text()).includes(id)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the DHT of ${url} has no node ${id}`);
}
