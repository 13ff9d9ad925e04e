import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { openStores, type Stores } from '@cairn/stores';
import { startPostgres, startRedis, startS3 } from '../../../tools/engines/index.mjs';
import { services } from '../src/workspace.ts';
import { Cairn } from './cairn.ts';

/**
 * Processes over one home. With `TEST_FORM=distributed`, processes on PostgreSQL, Redis and an S3 server, each with a home of
 * its own.
 */
export class Deployment {
  readonly isDistributed = process.env.TEST_FORM === 'distributed';
  /** The command with the settings of the deployment. */
  readonly cairn = new Cairn();
  /** Settings of the engines; none in the embedded form. */
  settings: Readonly<Record<string, string>> = {};
  readonly #homes: string[] = [];
  readonly #started: RunningService[] = [];
  readonly #stops: (() => Promise<unknown>)[] = [];

  /** Starts the engines of the distributed form. */
  async open(): Promise<void> {
    if (!this.isDistributed) return;
    const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()]);
    this.#stops.push(async () => await Promise.all([postgres?.remove(), redis?.stop(), s3?.stop()]));
    if (!postgres || !redis || !s3)
      throw new Error('An engine is not installed; run `node tools/engines/install.mjs`.');
    this.settings = {
      CAIRN_DATABASE_URL: await postgres.createDatabase(),
      CAIRN_OBJECT_STORE: s3.createStore(),
      CAIRN_REDIS_URL: redis.url,
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      CAIRN_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    this.cairn.settings = this.settings;
  }

  /** Stores of all processes. */
  stores(): Stores {
    return openStores({ CAIRN_HOME: this.cairn.home, ...this.settings });
  }

  /** Returns the common home, or a new directory in the distributed form. */
  newHome(): string {
    if (!this.isDistributed) return this.cairn.home;
    const home = mkdtempSync(join(tmpdir(), 'cairn-process-'));
    this.#homes.push(home);
    return home;
  }

  /** Starts a service and waits until it is ready. */
  async start(
    name: keyof typeof services,
    env: Readonly<Record<string, string>> = {},
    home = this.newHome(),
  ): Promise<RunningService> {
    const service = await startService({ main: services[name], home, env: { ...this.settings, ...env } });
    this.#started.push(service);
    return service;
  }

  /** Stops all services. */
  async stop(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((service) => service.stop()));
  }

  /** Stops services and engines, and removes their files. */
  async remove(): Promise<void> {
    await this.stop();
    for (const stop of this.#stops.splice(0)) await stop();
    for (const home of this.#homes) rmSync(home, { recursive: true, force: true });
    this.cairn.remove();
  }
}
