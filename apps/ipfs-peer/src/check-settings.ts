import { addressProblem } from '@cairn/ipfs-peer';
import { SettingsError, type SettingsProblem } from '@cairn/service-kit';
import { addressList, type IpfsPeerSettings } from './settings.ts';

/** Requires that all multiaddrs parse and that limits fit together. @throws SETTINGS_INVALID with each wrong setting */
export function checkSettings(settings: IpfsPeerSettings): void {
  const { IPFS_PEER_BOOTSTRAP: bootstrap } = settings;
  const lists = [
    { key: 'IPFS_PEER_LISTEN', value: settings.IPFS_PEER_LISTEN, needsPeer: false },
    { key: 'IPFS_PEER_ANNOUNCE', value: settings.IPFS_PEER_ANNOUNCE, needsPeer: false },
    { key: 'IPFS_PEER_BOOTSTRAP', value: bootstrap === 'public' ? undefined : bootstrap, needsPeer: true },
    { key: 'IPFS_PEER_PEERING', value: settings.IPFS_PEER_PEERING, needsPeer: true },
  ];
  const problems: SettingsProblem[] = [];
  for (const { key, value, needsPeer } of lists)
    for (const text of addressList(value)) {
      const problem = addressProblem(text, { needsPeer });
      if (problem !== undefined) problems.push({ key, problem });
    }
  const { IPFS_PEER_CONNECTIONS_MIN: min, IPFS_PEER_CONNECTIONS_MAX: max } = settings;
  if (min !== undefined && min > max)
    problems.push({
      key: 'IPFS_PEER_CONNECTIONS_MIN',
      problem: `${min} is above IPFS_PEER_CONNECTIONS_MAX, which is ${max}`,
    });
  if (problems.length > 0) throw new SettingsError(problems);
}
