#!/usr/bin/env node
import 'reflect-metadata';
import { runService } from '@cairn/service-kit/nest';
import { engineStates } from '@cairn/stores';
import { AppModule } from './app.module.ts';
import { settingsShape } from './settings.ts';

await runService({
  name: 'storage-api',
  settings: settingsShape,
  portSetting: 'STORAGE_API_PORT',
  adminPortSetting: 'STORAGE_API_ADMIN_PORT',
  module: AppModule.forRoot,
  engines: engineStates,
});
