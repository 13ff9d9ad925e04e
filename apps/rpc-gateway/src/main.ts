#!/usr/bin/env node
import './limit-heap-growth.ts';
import 'reflect-metadata';
import { runService } from '@cairn/service-kit/nest';
import { engineStates } from '@cairn/stores';
import { AppModule } from './app.module.ts';
import { settingsShape } from './settings.ts';
import { ApiKeyWebSocketAdapter } from './transports/web-socket-adapter.ts';

await runService({
  name: 'rpc-gateway',
  settings: settingsShape,
  portSetting: 'RPC_GATEWAY_PORT',
  adminPortSetting: 'RPC_GATEWAY_ADMIN_PORT',
  module: AppModule.forRoot,
  engines: engineStates,
  configure: (app) => app.useWebSocketAdapter(app.get(ApiKeyWebSocketAdapter)),
});
