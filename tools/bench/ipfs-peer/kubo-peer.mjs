import { freePort } from '../../peers/free-port.mjs';
import { startKubo } from '../../peers/kubo.mjs';

/** Starts a Kubo that listens on loopback, without routing. Returns undefined where Kubo is not built. */
export async function startKuboPeer() {
  const address = `/ip4/127.0.0.1/tcp/${await freePort()}`;
  const kubo = await startKubo({
    isOffline: false,
    config: (config) => {
      config.Addresses = { ...config.Addresses, Swarm: [address] };
    },
  });
  if (kubo === undefined) return undefined;
  const call = async (path, init = {}) => {
    const url = `${kubo.url}/api/v0/${path}`;
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(300_000), ...init });
    if (!response.ok) throw new Error(`Kubo refused ${path}: ${await response.text()}`);
    return response;
  };
  const { ID: peer } = await (await call('id')).json();
  return {
    provider: { peer, addresses: [`${address}/p2p/${peer}`] },
    pids: [kubo.pid],
    stop: kubo.stop,
    /** Adds a file of raw leaves and returns its root. */
    async add(bytes, chunk = 256 * 1024) {
      const body = new FormData();
      body.append('file', new Blob([bytes]));
      const query = `cid-version=1&raw-leaves=true&quieter=true&chunker=size-${chunk}`;
      return (await (await call(`add?${query}`, { body })).json()).Hash;
    },
    connect: ({ addresses }) => call(`swarm/connect?arg=${encodeURIComponent(addresses[0])}`),
    disconnect: ({ addresses }) => call(`swarm/disconnect?arg=${encodeURIComponent(addresses[0])}`),
    /** Pins a root, which fetches its DAG to the disk. Returns the time in milliseconds. */
    async fetch(root) {
      const start = performance.now();
      await (await call(`pin/add?arg=${root}`)).text();
      return performance.now() - start;
    },
    /** Returns the time to the first byte of a file in milliseconds. */
    async firstByte(root) {
      const start = performance.now();
      await (await call(`cat?arg=${root}&length=1`)).arrayBuffer();
      return performance.now() - start;
    },
    async empty(root) {
      await call(`pin/rm?arg=${root}`).catch(() => {});
      await (await call('repo/gc')).text();
    },
  };
}
