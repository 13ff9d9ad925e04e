import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from '../logger.ts';
import type { Settings } from '../settings.ts';

/** The token of {@link Settings}. */
export const SETTINGS = Symbol('SETTINGS');
/** The token of the service's logger. */
export const LOGGER = Symbol('LOGGER');

/** Provides settings and logger to the whole application. */
@Module({})
export class ServiceKitModule {
  static forRoot({ settings, logger }: { readonly settings: Settings; readonly logger: Logger }): DynamicModule {
    return {
      module: ServiceKitModule,
      global: true,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: LOGGER, useValue: logger },
      ],
      exports: [SETTINGS, LOGGER],
    };
  }
}
