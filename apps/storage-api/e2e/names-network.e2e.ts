import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Kubo, Network, startKuboPeer } from './network/network.ts';
import { basic } from './service.ts';

// IPNS over a DHT of three nodes on loopback: this service with its peer, and two real Kubos.
const network = new Network();
const kubos: Kubo[] = [];
const value = '/ipfs/bafkqabtimvwgy3yk';

beforeAll(async () => {
  await network.start();
  kubos.push(await startKuboPeer(), await startKuboPeer());
  const [one, other] = kubos;
  for (const { address } of kubos) await own(`swarm/connect?arg=${address}`, 'bob');
  await call(one?.url, `swarm/connect?arg=${other?.address}`);
});
afterAll(async () => {
  for (const kubo of kubos) await kubo.stop();
  await network.remove();
});

async function call<T>(url: string | undefined, path: string, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(`${url}/api/v0/${path}`, { method: 'POST', headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${text}`);
  return JSON.parse(text.split('\n')[0] ?? '') as T;
}

const own = <T>(path: string, account = 'ann') => call<T>(network.service.url, path, { authorization: basic(account) });

/** Repeats a read until it succeeds, since records and routing tables spread in the background. */
async function eventually<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 40; attempt++) {
    try {
      return await read();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  return await read();
}

test('a name that is published here resolves on both Kubos', async () => {
  const { Id: id } = await own<{ Id: string }>('key/gen?arg=published');
  await own(`name/publish?arg=${value}&key=published`);
  for (const { url } of kubos) {
    const resolved = await eventually(() => call<{ Path: string }>(url, `name/resolve?arg=${id}&nocache=true`));
    expect(resolved.Path).toBe(value);
  }
});

test('a name that a Kubo publishes resolves here, and its record is returned', async () => {
  const { Name: name } = await eventually(() =>
    call<{ Name: string }>(kubos[0]?.url, `name/publish?arg=${value}&resolve=false`),
  );
  const resolved = await eventually(() => own<{ Path: string }>(`name/resolve?arg=${name}&nocache=true`));
  expect(resolved.Path).toBe(value);
  expect(await own<{ Path: string }>(`resolve?arg=/ipns/${name}`)).toEqual({ Path: value });
  const { Extra } = await own<{ Extra: string }>(`routing/get?arg=/ipns/${name}`);
  expect(Buffer.from(Extra, 'base64').includes(value)).toBe(true);
  await expect(own(`name/resolve?arg=k51qzi5uqu5dghjous0agrwavl8vzl64xckoqzwqeqwudfr74kfd11zcyk3b7l`)).rejects.toThrow(
    'could not resolve name',
  );
});
