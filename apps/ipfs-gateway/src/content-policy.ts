import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { Blockstore } from '@cairn/blockstore';
import { type DenylistEvent, type Denylists, findDenial, openDenylists, reportOf, withDenylist } from '@cairn/denylist';
import type { ContentRequest, Refusal } from '@cairn/ipfs-gateway';
import { type Logger, type Registry, registerCounter } from '@cairn/service-kit';
import type { ServiceContext } from '@cairn/service-kit/nest';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { IpfsGatewaySettings } from './settings.ts';

/** Refuses content that a denylist denies. */
export class ContentPolicy implements OnApplicationShutdown {
  readonly #denylists: Denylists;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #changes: EventEmitter;
  readonly #refused = new Map<number, number>();

  private constructor(denylists: Denylists, logger: Pick<Logger, 'warn'>, changes: EventEmitter) {
    this.#denylists = denylists;
    this.#logger = logger;
    this.#changes = changes;
  }

  /** Calls the listener after each change of the denylists. */
  onChange(listener: () => void): void {
    this.#changes.on('change', listener);
  }

  /** Reads the denylists. @throws DENYLIST_INVALID */
  static async open({
    settings: { CAIRN_DENYLISTS, CAIRN_HOME },
    logger,
    processes,
  }: Pick<ServiceContext<IpfsGatewaySettings>, 'settings' | 'logger' | 'processes'>): Promise<ContentPolicy> {
    const paths = [CAIRN_DENYLISTS ?? join(CAIRN_HOME, 'denylists')];
    const changes = new EventEmitter();
    const onEvent = (event: DenylistEvent) => {
      const { level, message, fields } = reportOf(event);
      logger[level](fields, message);
      changes.emit('change');
    };
    const denylists = await openDenylists({ paths, onEvent, channel: processes });
    return new ContentPolicy(denylists, logger, changes);
  }

  /** Refuses to read denied blocks. */
  guard(blocks: Blockstore): Blockstore {
    return withDenylist(blocks, this.#denylists);
  }

  /** Returns the response to denied content, with the words of Kubo. The log names the rule, the response does not. */
  refusal({ path, roots, names }: ContentRequest): Refusal | undefined {
    const denial = findDenial(this.#denylists, { path, roots, names });
    if (denial === undefined) return undefined;
    this.#refused.set(denial.status, (this.#refused.get(denial.status) ?? 0) + 1);
    this.#logger.warn({ path, file: denial.file, line: denial.line }, 'content denied');
    return { status: denial.status, text: `failed to resolve ${path}: ${path} is blocked and cannot be provided` };
  }

  registerMetrics(registry: Registry): void {
    registerCounter(
      registry,
      {
        name: 'cairn_ipfs_gateway_denied_total',
        help: 'Requests that denylists refused, by status.',
        labelNames: ['status'],
      },
      () => [...this.#refused].map(([status, count]) => [{ status: String(status) }, count]),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#denylists.close();
  }
}
