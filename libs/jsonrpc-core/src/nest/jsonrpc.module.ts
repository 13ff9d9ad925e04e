import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { Dispatcher, type DispatcherOptions } from '../dispatcher.ts';

/** The token of the {@link Dispatcher}. */
export const DISPATCHER = Symbol('DISPATCHER');

export interface JsonrpcModuleOptions<Context> {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...dependencies: never[]) => DispatcherOptions<Context>;
}

/** Provides one dispatcher to the whole application. */
@Module({})
export class JsonrpcModule {
  static forRootAsync<Context>({ inject, useFactory }: JsonrpcModuleOptions<Context>): DynamicModule {
    return {
      module: JsonrpcModule,
      global: true,
      providers: [
        {
          provide: DISPATCHER,
          inject: inject ?? [],
          useFactory: (...dependencies: never[]) => new Dispatcher(useFactory(...dependencies)),
        },
      ],
      exports: [DISPATCHER],
    };
  }
}
