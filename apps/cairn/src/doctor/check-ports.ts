import { createServer } from 'node:net';
import { addressOf } from '../banner.ts';
import type { CommandSettings } from '../settings.ts';
import { readiness } from '../supervised-process.ts';
import { type Finding, fault, good, warning } from './finding.ts';

const portSettings = [
  'STORAGE_API_PORT',
  'RPC_GATEWAY_PORT',
  'IPFS_GATEWAY_PORT',
  'IPFS_PEER_API_PORT',
  'CONSOLE_PORT',
] as const;
type PortSetting = (typeof portSettings)[number];

/** Checks that each port is free, or that a Cairn service is ready on it. */
export async function checkPorts(settings: CommandSettings): Promise<Finding[]> {
  const used = portSettings.filter((name) => settings[name] !== 0 && !isPeerElsewhere(settings, name));
  const twice = used.find((name, index) => used.findIndex((other) => settings[other] === settings[name]) !== index);
  if (twice !== undefined)
    return [fault('ports', `Two services have the port ${settings[twice]}.`, `Set ${twice} to another port.`)];
  return await Promise.all(used.map((name) => checkPort(settings, name)));
}

function isPeerElsewhere({ CAIRN_IPFS_PEER, IPFS_PEER_URL }: CommandSettings, name: PortSetting): boolean {
  return name === 'IPFS_PEER_API_PORT' && (CAIRN_IPFS_PEER === 'off' || IPFS_PEER_URL !== undefined);
}

async function checkPort(settings: CommandSettings, name: PortSetting): Promise<Finding> {
  const port = settings[name];
  const isPeer = name === 'IPFS_PEER_API_PORT';
  const host = isPeer ? settings.IPFS_PEER_API_BIND : settings.CAIRN_BIND;
  const code = await listenFailure(port, host);
  if (code === undefined) return good('ports', `Port ${port} (${name}) is free.`);
  if (code === 'EACCES')
    return fault('ports', `Port ${port} (${name}) needs the right to bind low ports.`, 'Use a port above 1023.');
  if (code === 'EADDRNOTAVAIL')
    return fault(
      'ports',
      `This machine has no address ${host}.`,
      `Set ${isPeer ? 'IPFS_PEER_API_BIND' : 'CAIRN_BIND'}.`,
    );
  const url = isPeer ? `http://${host}:${port}` : addressOf(settings, port);
  const answer = await readiness(`${url}/readyz`);
  if (answer === 'ready') return good('ports', `A ready service has port ${port} (${name}).`);
  if (answer.reason !== undefined)
    return warning('ports', `The service on port ${port} is not ready: ${answer.reason}`, 'Run `cairn status`.');
  const advice = `Stop the other program, or set ${name} to another port.`;
  return fault('ports', `Port ${port} (${name}) is in use by another program.`, advice);
}

/** Code of the error of an attempt to listen; undefined where it succeeds. */
export function listenFailure(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
