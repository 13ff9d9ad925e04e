import { join } from 'node:path';
import type { Auth } from '@cairn/auth';
import { allPolicies, type ServingPolicy, serveNothing } from '@cairn/bitswap';
import { type Blockstore, withVerification } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { errorChain } from '@cairn/errors';
import { openServedBlocks, type PinStore, rootsOfAccount, rootsOfAllPins, type ServedRoots } from '@cairn/pinning';
import type { Logger } from '@cairn/service-kit';
import type { IpfsPeerSettings } from './settings.ts';

/** Policy of IPFS_PEER_SERVE with its index. */
export interface Serving {
  readonly policy: ServingPolicy;
  /** Calls back with blocks that are served from now on. */
  onServed(listener: (cids: readonly CID[]) => void): void;
  /** Resolves when the policy knows all pins that were stored before the call. */
  refresh(): Promise<void>;
  /** Applies reported changes of these pins. */
  changed(roots: readonly CID[]): Promise<void>;
  close(): Promise<void>;
}

interface Stores {
  readonly blocks: Blockstore;
  readonly pins: () => Promise<PinStore>;
  readonly auth: Pick<Auth, 'accounts'>;
  /** Further condition of each served block. */
  readonly condition: ServingPolicy;
}

/** Opens the policy that the settings choose. */
export async function openServing(settings: IpfsPeerSettings, stores: Stores, logger: Logger): Promise<Serving> {
  if (settings.IPFS_PEER_SERVE === 'nothing')
    return {
      policy: serveNothing,
      onServed: () => {},
      refresh: async () => {},
      changed: async () => {},
      close: async () => {},
    };
  const pins = await stores.pins();
  let listener: (cids: readonly CID[]) => void = () => {};
  let isClosed = false;
  const served = await openServedBlocks({
    directory: join(settings.CAIRN_HOME, 'served'),
    blocks: withVerification(stores.blocks),
    origins: settings.IPFS_PEER_SERVE === 'pinned' ? () => [rootsOfAllPins(pins)] : () => agreed(stores.auth, pins),
    onServed: (cids) => listener(cids),
    onError: (error) => logger.error({ causes: errorChain(error) }, 'the index of served blocks was not updated'),
  });
  return {
    policy: allPolicies([
      { mayServe: (cids) => (isClosed ? cids.map(() => false) : served.mayServe(cids)) },
      stores.condition,
    ]),
    onServed: (added) => {
      listener = added;
    },
    refresh: () => served.refresh(),
    changed: (roots) => served.changed(roots),
    async close() {
      isClosed = true;
      await served.close();
      await pins.close();
    },
  };
}

/** Returns the pins of active accounts that let peers fetch them. */
async function agreed(auth: Pick<Auth, 'accounts'>, pins: PinStore): Promise<ServedRoots[]> {
  const origins: ServedRoots[] = [];
  for await (const { id, status, servesPeers } of auth.accounts())
    if (servesPeers && status === 'active') origins.push(rootsOfAccount(pins, id));
  return origins;
}
