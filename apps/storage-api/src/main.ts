#!/usr/bin/env node
import { sharedKey } from '@cairn/service-kit';
import { runService } from '@cairn/service-kit/nest';
import { settingsShape } from './settings.ts';

await runService({
  name: 'storage-api',
  settings: settingsShape,
  portSetting: 'STORAGE_API_PORT',
  adminPortSetting: 'STORAGE_API_ADMIN_PORT',
  shared: async () => sharedKey('verificationKey'),
  load: async () => (await import('./service.ts')).service,
});
