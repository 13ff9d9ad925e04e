#!/usr/bin/env node
import './limit-heap-growth.ts';
import { runService } from '@cairn/service-kit/nest';
import { settingsShape } from './settings.ts';

await runService({
  name: 'rpc-gateway',
  settings: settingsShape,
  portSetting: 'RPC_GATEWAY_PORT',
  adminPortSetting: 'RPC_GATEWAY_ADMIN_PORT',
  shared: async () => (await import('./subscriptions/shared-filters.ts')).sharedFilters(),
  load: async () => (await import('./service.ts')).service,
});
