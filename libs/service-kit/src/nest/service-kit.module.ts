import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from '../logger.ts';
import { RequestRecorder } from '../request/request-recorder.ts';
import type { CommonSettings } from '../settings/common-settings.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** Token of the settings: those of the service's own `settings.ts`. */
export const SETTINGS = Symbol('SETTINGS');
/** Token of the service's logger. */
export const LOGGER = Symbol('LOGGER');
/** Token of the service's {@link Tracing}. */
export const TRACING = Symbol('TRACING');

/** Objects that exist before the modules of a service. */
export interface ServiceContext<S extends CommonSettings = CommonSettings> {
  readonly settings: S;
  readonly logger: Logger;
  readonly tracing: Tracing;
}

/** Provides settings, logger, tracing and {@link RequestRecorder} to the whole application. */
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
        { provide: RequestRecorder, useFactory: () => new RequestRecorder({ logger, tracing }) },
      ],
      exports: [SETTINGS, LOGGER, TRACING, RequestRecorder],
    };
  }
}
