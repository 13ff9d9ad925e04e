import type { Transport, Upgrader } from '@libp2p/interface';
import { peerLimits } from '../limits.ts';
import { hostOf } from './host-of.ts';
import { wrapUpgrader } from './wrap-upgrader.ts';

/**
 * Counts the inbound connections of each host before their handshakes end. js-libp2p bounds only their number in all: one host
 * that opens connections and sends nothing would take all places.
 */
export class PendingHosts {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  constructor(max: number = peerLimits.pendingInboundPerHostMax) {
    this.#max = max;
  }

  /** Takes a place of the host. @returns a function that releases it, or undefined if the host has all of its places */
  enter(ip: string): (() => void) | undefined {
    const host = hostOf(ip);
    const count = this.#counts.get(host) ?? 0;
    if (count >= this.#max) return undefined;
    this.#counts.set(host, count + 1);
    let isEntered = true;
    return () => {
      if (!isEntered) return;
      isEntered = false;
      const left = (this.#counts.get(host) ?? 0) - 1;
      if (left > 0) this.#counts.set(host, left);
      else this.#counts.delete(host);
    };
  }
}

/** Refuses inbound connections of hosts that have all of their places. */
export function boundHandshakes<Components>(create: (components: Components) => Transport, hosts: PendingHosts) {
  return (components: Components): Transport => {
    const transport = create(components);
    const createListener = transport.createListener.bind(transport);
    transport.createListener = (options) =>
      createListener({ ...options, upgrader: boundUpgrader(options.upgrader, hosts) });
    return transport;
  };
}

function boundUpgrader(upgrader: Upgrader, hosts: PendingHosts): Upgrader {
  return wrapUpgrader(upgrader, {
    async upgradeInbound(connection, options) {
      const leave = hosts.enter(connection.remoteAddr.getComponents()[0]?.value ?? '');
      if (leave === undefined) throw new Error('the host has too many connections without a handshake');
      try {
        await upgrader.upgradeInbound(connection, options);
      } finally {
        leave();
      }
    },
  });
}
