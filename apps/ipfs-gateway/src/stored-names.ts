import type { NameStore } from '@cairn/ipns';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Injection token of the `NameStore`. */
export const NAME_STORE = Symbol('NAME_STORE');

/** Closes the store of names at shutdown. */
@Injectable()
export class StoredNames implements OnApplicationShutdown {
  constructor(@Inject(NAME_STORE) private readonly store: NameStore) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
