import 'reflect-metadata';
import type { ServiceParts } from '@cairn/service-kit/nest';
import { engineStates } from '@cairn/stores';
import { AppModule } from './app.module.ts';
import type { settingsShape } from './settings.ts';

/** The service, for the processes that serve requests. */
export const service: ServiceParts<typeof settingsShape> = {
  module: AppModule.forRoot,
  engines: engineStates,
};
