import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { Dispatcher } from '../dispatcher.ts';
import type { DispatcherOptions } from '../dispatcher-options.ts';

export interface JsonrpcModuleOptions<Context> {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...dependencies: never[]) => DispatcherOptions<Context>;
}

/** Provides one {@link Dispatcher} to the whole application. */
@Module({})
export class JsonrpcModule {
  static forRootAsync<Context>({ inject, useFactory }: JsonrpcModuleOptions<Context>): DynamicModule {
    return {
      module: JsonrpcModule,
      global: true,
      providers: [
        {
          provide: Dispatcher,
          inject: inject ?? [],
          useFactory: (...dependencies: never[]) => new Dispatcher(useFactory(...dependencies)),
        },
      ],
      exports: [Dispatcher],
    };
  }
}
