import type { CID } from '@cairn/cid';
import type { Pinning } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import { Inject, Injectable } from '@nestjs/common';

/** A DAG, or one block of it, that an account holds. */
export interface HeldRoot {
  readonly cid: CID;
  /** False for a direct pin, which holds one block. */
  readonly isWhole: boolean;
}

/** What an account holds: an account sees nothing else of the store that all share. */
@Injectable()
export class HeldRoots {
  constructor(@Inject(PINNING) private readonly pinning: Pinning) {}

  async *of(account: string): AsyncGenerator<HeldRoot> {
    for await (const { cid, mode } of this.pinning.list(account)) yield { cid, isWhole: mode === 'recursive' };
  }
}
