#!/usr/bin/env node
import 'reflect-metadata';
import { runService } from '@cairn/service-kit/nest';
import { AppModule } from './app.module.ts';

await runService({ name: 'console', portSetting: 'CONSOLE_PORT', module: AppModule.forRoot });
