import { Environment } from '@cairn/embedded-store';
import { blocksFormat } from './blocks-format.ts';
import type { Hold } from './collectable.ts';
import { Holds } from './holds.ts';

/** Cycle before every write. */
const firstCycle = 0;

/**
 * Protects all blocks of an embedded store until the release, for a copy of the store and of its roots: no collection and no
 * discard that begins meanwhile removes a block, in any process.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function holdAllBlocks({ directory }: { readonly directory: string }): Promise<Hold> {
  const environment = await Environment.open({ directory, format: blocksFormat });
  const holds = new Holds(environment, () => firstCycle, Date.now);
  const end = async () => {
    try {
      await holds.close();
    } finally {
      await environment.close();
    }
  };
  try {
    const { confirm } = await holds.take(0);
    return { confirm, release: end };
  } catch (error) {
    await end();
    throw error;
  }
}
