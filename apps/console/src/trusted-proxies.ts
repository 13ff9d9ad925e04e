import { errorText } from '@cairn/errors';
import { SettingsError } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import type { INestApplication } from '@nestjs/common';
import express, { type Express } from 'express';
import type { ConsoleSettings } from './settings.ts';

type ProxySettings = Pick<ConsoleSettings, 'CONSOLE_TRUSTED_PROXIES'>;

/**
 * Makes `request.ip` the last address of X-Forwarded-For that no trusted proxy has: a client can write the ones before it. Without
 * this, limits per address count all clients of a balancer as one.
 */
export function trustProxies(app: INestApplication): void {
  setProxies(app.getHttpAdapter().getInstance(), app.get<ProxySettings>(SETTINGS));
}

/** Requires that the ranges of proxies exist. @throws SETTINGS_INVALID */
export function checkProxies(settings: ProxySettings): void {
  try {
    setProxies(express(), settings);
  } catch (error) {
    throw new SettingsError([{ key: 'CONSOLE_TRUSTED_PROXIES', problem: errorText(error) }]);
  }
}

function setProxies(server: Express, { CONSOLE_TRUSTED_PROXIES: proxies }: ProxySettings): void {
  if (proxies !== undefined) server.set('trust proxy', proxies.split(','));
}
