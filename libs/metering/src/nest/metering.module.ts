import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { LimitChannel } from '../limits/limiter.ts';
import { type Metering, type MeteringStores, startMetering } from '../metering.ts';

/** Injection token of {@link Metering}. */
export const METERING = Symbol('METERING');

export interface MeteringModuleOptions {
  /** Name of the service: recorded in the ledger and quoted in LIMIT_REACHED. */
  readonly service: string;
  /** Called with errors of background work. */
  readonly onError?: (error: unknown) => void;
  /** Messages to the other processes of the service. Default: it has none. */
  readonly channel?: LimitChannel;
  readonly inject?: FactoryProvider['inject'];
  /** Opens the stores. The module closes them. */
  readonly useFactory: (...dependencies: never[]) => Promise<MeteringStores> | MeteringStores;
}

/** Provides {@link Metering} to the whole application. At shutdown it flushes the ledger and closes the stores. */
@Module({})
export class MeteringModule implements OnApplicationShutdown {
  constructor(@Inject(METERING) private readonly metering: Metering) {}

  static forRootAsync({ inject, useFactory, ...options }: MeteringModuleOptions): DynamicModule {
    return {
      module: MeteringModule,
      global: true,
      providers: [
        {
          provide: METERING,
          inject: inject ?? [],
          useFactory: async (...dependencies: never[]) =>
            await startMetering({ ...options, ...(await useFactory(...dependencies)) }),
        },
      ],
      exports: [METERING],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.metering.close();
  }
}
