import type { CID } from '@cairn/cid';
import type { PeerApi } from '@cairn/peer-api';
import type { PinStore } from '@cairn/pinning';

/** Roots that wait to be reported. The peer compares its records with the pins periodically, so dropped ones are found later. */
const waitingMax = 10_000;
const delayMs = 200;
/** Pause after a failed report. */
const retryMs = 5000;

/** Reports pinned and unpinned roots to the peer, which announces them. Changes of pins never wait for it. */
export class RootReports {
  #provide: PeerApi['provide'] | undefined;
  #isPinned: (cid: CID) => Promise<boolean> = async () => false;
  readonly #changed = new Map<string, CID>();
  #timer: NodeJS.Timeout | undefined;

  connect(provide: PeerApi['provide']): void {
    this.#provide = provide;
  }

  wrap(pins: PinStore): PinStore {
    this.#isPinned = async (cid) => (await pins.isPinned('recursive', cid)) || (await pins.isPinned('direct', cid));
    const changed = { put: this.#put(pins), putKnownRoot: this.#putKnownRoot(pins), remove: this.#remove(pins) };
    // Bound once: each request calls several methods.
    const members = new Map<string | symbol, unknown>(Object.entries(changed));
    return new Proxy(pins, {
      get: (target, name) => {
        const known = members.get(name);
        if (known !== undefined) return known;
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        const bound = member.bind(target) as unknown;
        members.set(name, bound);
        return bound;
      },
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#provide = undefined;
  }

  #put(pins: PinStore): PinStore['put'] {
    return async (account, added, conditions) => {
      await pins.put(account, added, conditions);
      this.#add(added.map(({ cid }) => cid));
    };
  }

  #putKnownRoot(pins: PinStore): PinStore['putKnownRoot'] {
    return async (account, pin, quota) => {
      const known = await pins.putKnownRoot(account, pin, quota);
      if (known !== undefined) this.#add([known.cid]);
      return known;
    };
  }

  #remove(pins: PinStore): PinStore['remove'] {
    return async (account, cids) => {
      await pins.remove(account, cids);
      this.#add(cids);
    };
  }

  #add(cids: readonly CID[]): void {
    if (this.#provide === undefined) return;
    for (const cid of cids) if (this.#changed.size < waitingMax) this.#changed.set(cid.toString(), cid);
    this.#timer ??= setTimeout(() => void this.#report(), delayMs).unref();
  }

  async #report(): Promise<void> {
    const provide = this.#provide;
    const cids = [...this.#changed.values()];
    this.#changed.clear();
    this.#timer = undefined;
    if (provide === undefined || cids.length === 0) return;
    try {
      const pinned: CID[] = [];
      const removed: CID[] = [];
      // The state at this moment counts, since another account may pin the same root.
      for (const cid of cids) ((await this.#isPinned(cid)) ? pinned : removed).push(cid);
      if (pinned.length > 0) await provide.added(pinned);
      if (removed.length > 0) await provide.removed(removed);
    } catch {
      if (this.#provide === undefined) return;
      for (const cid of cids) if (this.#changed.size < waitingMax) this.#changed.set(cid.toString(), cid);
      this.#timer ??= setTimeout(() => void this.#report(), retryMs).unref();
    }
  }
}
