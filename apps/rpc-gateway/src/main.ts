#!/usr/bin/env node
import 'reflect-metadata';
import { runService } from '@cairn/service-kit/nest';
import { AppModule } from './app.module.ts';

await runService({ name: 'rpc-gateway', portSetting: 'RPC_GATEWAY_PORT', module: AppModule.forRoot });
