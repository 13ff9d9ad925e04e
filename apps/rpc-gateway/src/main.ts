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
  // A start reads the networks anyway. Only here, since the primary process would keep the code in memory.
  check: async (settings) => {
    if (process.argv.includes('--check-config')) (await import('./networks-of.ts')).networksOf(settings);
  },
  load: async () => (await import('./service.ts')).service,
});
