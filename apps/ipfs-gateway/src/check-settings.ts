import { errorText } from '@cairn/errors';
import { parseNsMap } from '@cairn/ipns';
import { SettingsError, type SettingsProblem } from '@cairn/service-kit';
import { RequestSources } from './client-of-request.ts';
import type { IpfsGatewaySettings } from './settings.ts';

type CheckedSettings = Pick<IpfsGatewaySettings, 'IPFS_NS_MAP' | 'IPFS_GATEWAY_TRUSTED_PROXIES'>;

/** Requires that names of IPFS_NS_MAP have a CID, and that ranges of proxies exist. @throws SETTINGS_INVALID */
export function checkSettings(settings: CheckedSettings): void {
  const { IPFS_NS_MAP: map, IPFS_GATEWAY_TRUSTED_PROXIES: proxies } = settings;
  const checks = {
    IPFS_NS_MAP: () => map !== undefined && parseNsMap(map),
    IPFS_GATEWAY_TRUSTED_PROXIES: () => proxies !== undefined && new RequestSources(proxies, { isTls: false }),
  };
  const problems: SettingsProblem[] = [];
  for (const [key, check] of Object.entries(checks))
    try {
      check();
    } catch (error) {
      problems.push({ key, problem: errorText(error) });
    }
  if (problems.length > 0) throw new SettingsError(problems);
}
