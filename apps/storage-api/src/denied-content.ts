import { join } from 'node:path';
import type { CID } from '@cairn/cid';
import type { PathProgress } from '@cairn/dag';
import {
  ContentDeniedError,
  type Denial,
  type Denylist,
  type Denylists,
  openDenylists,
  reportOf,
} from '@cairn/denylist';
import { type Registry, registerCounter } from '@cairn/service-kit';
import type { ServiceContext } from '@cairn/service-kit/nest';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { StorageSettings } from './settings.ts';

/** Refuses to read and to pin content that a denylist denies, with the words of Kubo. Without lists each check returns immediately. */
export class DeniedContent implements OnApplicationShutdown {
  readonly #denylists: Denylist & Pick<Denylists, 'close'>;
  readonly #refused = { block: 0, path: 0, name: 0 };

  constructor(denylists: Denylist & Pick<Denylists, 'close'>) {
    this.#denylists = denylists;
  }

  /** Reads the denylists, and again after each change. @throws DENYLIST_INVALID */
  static async open({
    settings: { CAIRN_DENYLISTS, CAIRN_HOME },
    logger,
    processes,
  }: Pick<ServiceContext<StorageSettings>, 'settings' | 'logger' | 'processes'>): Promise<DeniedContent> {
    const denylists = await openDenylists({
      paths: [CAIRN_DENYLISTS ?? join(CAIRN_HOME, 'denylists')],
      channel: processes,
      onEvent: (event) => {
        const { level, message, fields } = reportOf(event);
        logger[level](fields, message);
      },
    });
    return new DeniedContent(denylists);
  }

  /** Reports whether a block is denied. Counts no refusal. */
  isDenied(cid: CID): boolean {
    return this.#denylists.cid(cid) !== undefined;
  }

  /** @throws CONTENT_DENIED for a denied block */
  assertBlock(cid: CID): void {
    this.#refuse('block', cid.toString(), this.#denylists.cid(cid));
  }

  /** @throws CONTENT_DENIED for a denied block, or a denied path below it */
  assertPath({ path, cid, names }: PathProgress): void {
    const denial =
      this.#denylists.cid(cid) ?? (names.length > 0 ? this.#denylists.cid(cid, names.join('/')) : undefined);
    this.#refuse('path', path, denial);
  }

  /** @throws CONTENT_DENIED for a denied name of a path under /ipns/, or a denied path below it */
  assertName(path: string): void {
    const [, name = '', below = ''] = /^\/+ipns\/+([^/]+)(.*)$/s.exec(path) ?? [];
    const denial = this.#denylists.name(name) ?? (below === '' ? undefined : this.#denylists.name(name, below));
    this.#refuse('name', path, denial);
  }

  #refuse(kind: 'block' | 'path' | 'name', subject: string, denial: Denial | undefined): void {
    if (denial === undefined) return;
    this.#refused[kind]++;
    throw new ContentDeniedError(subject, denial);
  }

  registerMetrics(registry: Registry): void {
    registerCounter(
      registry,
      { name: 'cairn_denied_total', help: 'Reads and pins that denylists refused.', labelNames: ['kind'] },
      () => Object.entries(this.#refused).map(([kind, count]) => [{ kind }, count]),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#denylists.close();
  }
}
