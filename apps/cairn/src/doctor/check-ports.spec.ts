import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CommandSettings } from '../settings.ts';
import { checkPorts } from './check-ports.ts';

const answers: Readonly<Record<string, readonly [number, string]>> = {
  ready: [200, '{}'],
  waiting: [503, '{"reason":"the import runs"}'],
  other: [404, 'no such page'],
};
const servers = new Map<string, Server>();
beforeAll(async () => {
  for (const [name, [status, body]] of Object.entries(answers)) {
    const server = createServer((_, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.set(name, server);
  }
});
afterAll(() => {
  for (const server of servers.values()) server.close();
});

const portOf = (name: string) => ((servers.get(name) as Server).address() as AddressInfo).port;
const settingsOf = (more: Readonly<Record<string, unknown>>) =>
  ({
    CAIRN_BIND: '127.0.0.1',
    IPFS_PEER_API_BIND: '127.0.0.1',
    CAIRN_IPFS_PEER: 'off',
    STORAGE_API_PORT: 0,
    RPC_GATEWAY_PORT: 0,
    IPFS_GATEWAY_PORT: 0,
    CONSOLE_PORT: 0,
    IPFS_PEER_API_PORT: 0,
    ...more,
  }) as CommandSettings;
const states = async (more: Readonly<Record<string, unknown>>) =>
  (await checkPorts(settingsOf(more))).map(({ state }) => state);

test('a port with a ready service is good, with another program a fault, with a service that waits a warning', async () => {
  expect(await states({ STORAGE_API_PORT: portOf('ready') })).toEqual(['good']);
  expect(await states({ STORAGE_API_PORT: portOf('other') })).toEqual(['fault']);
  const [waiting] = await checkPorts(settingsOf({ CONSOLE_PORT: portOf('waiting') }));
  expect(waiting).toMatchObject({ state: 'warning', text: expect.stringContaining('the import runs') });
});

test('ports that are taken by the system are not checked, nor is the peer of another machine', async () => {
  expect(await states({})).toEqual([]);
  expect(await states({ IPFS_PEER_API_PORT: portOf('other') })).toEqual([]);
});

test('one port for two services is a fault that names the second', async () => {
  const [finding] = await checkPorts(settingsOf({ STORAGE_API_PORT: 5001, CONSOLE_PORT: 5001 }));
  expect(finding).toMatchObject({ state: 'fault', advice: 'Set CONSOLE_PORT to another port.' });
});

test('an address that this machine does not have is a fault', async () => {
  expect(await states({ CAIRN_BIND: '192.0.2.1', STORAGE_API_PORT: 45_001 })).toEqual(['fault']);
});
