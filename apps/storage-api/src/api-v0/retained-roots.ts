import type { CID } from '@cairn/cid';
import type { RootStore } from '@cairn/mfs';
import { ROOT_STORE } from '@cairn/mfs/nest';
import { Pinning } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';

/** A DAG, or one block of it, that an account holds. */
export interface RetainedRoot {
  readonly cid: CID;
  /** False for a direct pin, which holds one block. */
  readonly isWhole: boolean;
}

/** Roots that an account holds. An account sees no other part of the shared store. */
@Injectable()
export class RetainedRoots {
  constructor(
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(ROOT_STORE) private readonly roots: RootStore,
  ) {}

  async *of(account: string): AsyncGenerator<RetainedRoot> {
    for await (const { cid, mode } of this.pinning.list(account)) yield { cid, isWhole: mode === 'recursive' };
    for await (const cid of this.roots.rootsOf(account)) yield { cid, isWhole: true };
  }
}
