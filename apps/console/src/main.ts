#!/usr/bin/env node
import 'reflect-metadata';
import { runService } from '@cairn/service-kit/nest';
import { engineStates } from '@cairn/stores';
import { ExpressAdapter } from '@nestjs/platform-express';
import { AppModule } from './app.module.ts';
import { settingsShape } from './settings.ts';
import { checkProxies, trustProxies } from './trusted-proxies.ts';

await runService({
  name: 'console',
  settings: settingsShape,
  portSetting: 'CONSOLE_PORT',
  adminPortSetting: 'CONSOLE_ADMIN_PORT',
  check: checkProxies,
  load: async () => ({
    module: AppModule.forRoot,
    engines: engineStates,
    configure: trustProxies,
    adapter: () => {
      const adapter = new ExpressAdapter();
      adapter.getInstance<{ disable(name: string): void }>().disable('x-powered-by');
      return adapter;
    },
  }),
});
