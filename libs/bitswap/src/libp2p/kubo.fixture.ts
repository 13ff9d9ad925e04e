import { freePort } from '../../../../tools/peers/free-port.mjs';
import { startKubo } from '../../../../tools/peers/kubo.mjs';

/** Starts an isolated Kubo that listens on loopback, or returns undefined where Kubo is not built. */
export async function startLoopbackKubo() {
  const address = `/ip4/127.0.0.1/tcp/${await freePort()}`;
  const kubo = await startKubo({
    isOffline: false,
    config: (config) => {
      config.Addresses = { ...(config.Addresses as object), Swarm: [address] };
    },
  });
  if (kubo === undefined) return undefined;
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${kubo.url}/api/v0/${path}`, {
      method: 'POST',
      signal: AbortSignal.timeout(60_000),
      ...init,
    });
    if (!response.ok) throw new Error(`Kubo refused ${path}: ${await response.text()}`);
    return response;
  };
  const { ID: peer } = (await (await call('id')).json()) as { ID: string };
  return {
    provider: { peer, addresses: [address] },
    call,
    stop: kubo.stop,
    /** Adds a file of raw leaves and returns its root with the CIDs of all blocks. */
    async add(bytes: Uint8Array): Promise<readonly string[]> {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(bytes)]));
      const added = await (await call('add?cid-version=1&raw-leaves=true&quieter=true', { body })).json();
      const root = (added as { Hash: string }).Hash;
      const refs = await (await call(`refs?arg=${root}&recursive=true&unique=true`)).text();
      const lines = refs.split('\n').filter((line) => line !== '');
      return [root, ...lines.map((line) => (JSON.parse(line) as { Ref: string }).Ref)];
    },
    /** Removes all content. */
    async empty(root: string): Promise<void> {
      await call(`pin/rm?arg=${root}`);
      await (await call('repo/gc')).text();
    },
  };
}
