import { join } from 'node:path';
import type { CID } from '@cairn/cid';
import type { PathProgress } from '@cairn/dag';
import {
  assertAllowed,
  ContentDeniedError,
  type Denylist,
  type Denylists,
  openDenylists,
  reportOf,
} from '@cairn/denylist';
import type { ServiceContext } from '@cairn/service-kit/nest';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { StorageSettings } from './settings.ts';

/** Refuses to read and to pin content that a denylist denies, with the words of Kubo. Without lists each check returns immediately. */
export class DeniedContent implements OnApplicationShutdown {
  readonly #denylists: Denylist & Pick<Denylists, 'close'>;

  constructor(denylists: Denylist & Pick<Denylists, 'close'>) {
    this.#denylists = denylists;
  }

  /** Reads the denylists, and again after each change. @throws DENYLIST_INVALID */
  static async open({
    settings: { CAIRN_DENYLISTS, CAIRN_HOME },
    logger,
  }: Pick<ServiceContext<StorageSettings>, 'settings' | 'logger'>): Promise<DeniedContent> {
    const denylists = await openDenylists({
      paths: [CAIRN_DENYLISTS ?? join(CAIRN_HOME, 'denylists')],
      onEvent: (event) => {
        const { level, message, fields } = reportOf(event);
        logger[level](fields, message);
      },
    });
    return new DeniedContent(denylists);
  }

  /** @throws CONTENT_DENIED for a denied block */
  assertBlock(cid: CID): void {
    assertAllowed(this.#denylists, cid);
  }

  /** @throws CONTENT_DENIED for a denied block, or a denied path below it */
  assertPath({ path, cid, names }: PathProgress): void {
    const denial =
      this.#denylists.cid(cid) ?? (names.length > 0 ? this.#denylists.cid(cid, names.join('/')) : undefined);
    if (denial !== undefined) throw new ContentDeniedError(path, denial);
  }

  /** @throws CONTENT_DENIED for a denied name of a path under /ipns/, or a denied path below it */
  assertName(path: string): void {
    const [, name = '', below = ''] = /^\/+ipns\/+([^/]+)(.*)$/s.exec(path) ?? [];
    const denial = this.#denylists.name(name) ?? (below === '' ? undefined : this.#denylists.name(name, below));
    if (denial !== undefined) throw new ContentDeniedError(path, denial);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#denylists.close();
  }
}
