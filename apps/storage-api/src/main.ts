#!/usr/bin/env node
import { runService } from '@cairn/service-kit/nest';
import { settingsShape } from './settings.ts';

await runService({
  name: 'storage-api',
  settings: settingsShape,
  portSetting: 'STORAGE_API_PORT',
  adminPortSetting: 'STORAGE_API_ADMIN_PORT',
  // Adds have one writer, whose commits and syncs limit them; reads gain from more processes.
  processesDefault: 1,
  load: async () => (await import('./service.ts')).service,
});
