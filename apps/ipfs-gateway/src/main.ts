#!/usr/bin/env node
import { sharedKey } from '@cairn/service-kit';
import { runService } from '@cairn/service-kit/nest';
import { settingsShape } from './settings.ts';

await runService({
  name: 'ipfs-gateway',
  settings: settingsShape,
  portSetting: 'IPFS_GATEWAY_PORT',
  adminPortSetting: 'IPFS_GATEWAY_ADMIN_PORT',
  shared: async () => sharedKey('verificationKey'),
  load: async () => (await import('./service.ts')).service,
});
