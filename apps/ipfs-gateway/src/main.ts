#!/usr/bin/env node
import { runService } from '@cairn/service-kit/nest';
import { settingsShape } from './settings.ts';
import { verificationKey } from './verification-key.ts';

await runService({
  name: 'ipfs-gateway',
  settings: settingsShape,
  portSetting: 'IPFS_GATEWAY_PORT',
  adminPortSetting: 'IPFS_GATEWAY_ADMIN_PORT',
  check: async (settings) => {
    const { IPFS_NS_MAP: map, IPFS_GATEWAY_TRUSTED_PROXIES: proxies } = settings;
    if (map !== undefined || proxies !== undefined) (await import('./check-settings.ts')).checkSettings(settings);
  },
  shared: async () => verificationKey.functions(),
  load: async () => (await import('./service.ts')).service,
});
