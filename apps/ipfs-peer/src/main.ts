#!/usr/bin/env node
import 'reflect-metadata';
import { readSwarmKey } from '@cairn/ipfs-peer';
import { runService } from '@cairn/service-kit/nest';
import { engineStates } from '@cairn/stores';
import { AppModule } from './app.module.ts';
import { checkSettings } from './check-settings.ts';
import { lowerPriority } from './lower-priority.ts';
import { settingsShape } from './settings.ts';

lowerPriority();
await runService({
  name: 'ipfs-peer',
  settings: settingsShape,
  portSetting: 'IPFS_PEER_API_PORT',
  internalBindSetting: 'IPFS_PEER_API_BIND',
  adminPortSetting: 'IPFS_PEER_ADMIN_PORT',
  async check(settings) {
    checkSettings(settings);
    const { IPFS_PEER_SWARM_KEY_FILE: swarmKeyFile } = settings;
    if (swarmKeyFile !== undefined) await readSwarmKey(swarmKeyFile);
  },
  load: async () => ({ module: AppModule.forRoot, engines: engineStates }),
});
