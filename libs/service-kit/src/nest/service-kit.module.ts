import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from '../logger.ts';
import type { Settings } from '../settings.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** The token of {@link Settings}. */
export const SETTINGS = Symbol('SETTINGS');
/** The token of the service's logger. */
export const LOGGER = Symbol('LOGGER');
/** The token of the service's {@link Tracing}. */
export const TRACING = Symbol('TRACING');

/** What a service has before its modules are made. */
export interface ServiceContext {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly tracing: Tracing;
}

/** Provides settings, logger and tracing to the whole application. */
@Module({})
export class ServiceKitModule {
  static forRoot({ settings, logger, tracing }: ServiceContext): DynamicModule {
    return {
      module: ServiceKitModule,
      global: true,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: LOGGER, useValue: logger },
        { provide: TRACING, useValue: tracing },
      ],
      exports: [SETTINGS, LOGGER, TRACING],
    };
  }
}
