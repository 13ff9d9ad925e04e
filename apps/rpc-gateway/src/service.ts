import 'reflect-metadata';
import type { ServiceParts } from '@cairn/service-kit/nest';
import { engineStates } from '@cairn/stores';
import { AppModule } from './app.module.ts';
import type { settingsShape } from './settings.ts';
import { ApiKeyWebSocketAdapter } from './transports/web-socket-adapter.ts';

/** The service, for the processes that serve requests. */
export const service: ServiceParts<typeof settingsShape> = {
  module: AppModule.forRoot,
  engines: engineStates,
  configure: (app) => app.useWebSocketAdapter(app.get(ApiKeyWebSocketAdapter)),
};
