#!/usr/bin/env node
import 'reflect-metadata';
import { runService } from '@cairn/service-kit/nest';
import { engineStates } from '@cairn/stores';
import { AppModule } from './app.module.ts';
import { settingsShape } from './settings.ts';

await runService({
  name: 'ipfs-gateway',
  settings: settingsShape,
  portSetting: 'IPFS_GATEWAY_PORT',
  adminPortSetting: 'IPFS_GATEWAY_ADMIN_PORT',
  module: AppModule.forRoot,
  engines: engineStates,
});
