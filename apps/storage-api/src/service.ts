import 'reflect-metadata';
import type { ServiceParts } from '@cairn/service-kit/nest';
import { engineStates } from '@cairn/stores';
import { AppModule } from './app.module.ts';
import type { settingsShape } from './settings.ts';

/**
 * Longest request line with its fields. It exceeds the limit of URLs by more than `xargs` puts into one command, so that such
 * a request gets the error with the limit.
 */
const headBytesMax = 160 * 1024;

/** The service, for the processes that serve requests. */
export const service: ServiceParts<typeof settingsShape> = {
  module: AppModule.forRoot,
  engines: engineStates,
  headBytesMax,
};
