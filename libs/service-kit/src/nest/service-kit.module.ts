import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from '../logger.ts';
import type { ProcessGroup } from '../processes/process-group.ts';
import { RequestRecorder } from '../request/request-recorder.ts';
import type { CommonSettings } from '../settings/common-settings.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** Token of the settings: those of the service's own `settings.ts`. */
export const SETTINGS = Symbol('SETTINGS');
/** Token of the service's logger. */
export const LOGGER = Symbol('LOGGER');
/** Token of the service's {@link Tracing}. */
export const TRACING = Symbol('TRACING');

/** Token of the {@link ProcessGroup} of the service. */
export const PROCESSES = Symbol('PROCESSES');

/** Objects that exist before the modules of a service. */
export interface ServiceContext<S extends CommonSettings = CommonSettings> {
  readonly settings: S;
  readonly logger: Logger;
  readonly tracing: Tracing;
  readonly processes: ProcessGroup;
}

/** Provides settings, logger, tracing and {@link RequestRecorder} to the whole application. */
@Module({})
export class ServiceKitModule {
  static forRoot({ settings, logger, tracing, processes }: ServiceContext): DynamicModule {
    return {
      module: ServiceKitModule,
      global: true,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: LOGGER, useValue: logger },
        { provide: TRACING, useValue: tracing },
        { provide: PROCESSES, useValue: processes },
        { provide: RequestRecorder, useFactory: () => new RequestRecorder({ logger, tracing }) },
      ],
      exports: [SETTINGS, LOGGER, TRACING, PROCESSES, RequestRecorder],
    };
  }
}
