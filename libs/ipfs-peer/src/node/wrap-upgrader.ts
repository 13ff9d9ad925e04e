import type { Upgrader } from '@libp2p/interface';

/** Returns an upgrader with other methods in place of some of its own. */
export function wrapUpgrader(upgrader: Upgrader, methods: Partial<Upgrader>): Upgrader {
  return new Proxy(upgrader, {
    get(target, name) {
      const replaced = Object.hasOwn(methods, name) ? Reflect.get(methods, name) : undefined;
      if (replaced !== undefined) return replaced;
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
