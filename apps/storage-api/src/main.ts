#!/usr/bin/env node
import { runService } from '@cairn/service-kit/nest';
import { settingsShape } from './settings.ts';
import { verificationKey } from './verification-key.ts';

await runService({
  name: 'storage-api',
  settings: settingsShape,
  portSetting: 'STORAGE_API_PORT',
  adminPortSetting: 'STORAGE_API_ADMIN_PORT',
  shared: async () => verificationKey.functions(),
  load: async () => (await import('./service.ts')).service,
});
