import type { Principal } from './account.ts';

/** How long they are remembered, in milliseconds. */
export const recentMs = 100;
/** Keys that are remembered at most. */
const recentMax = 10_000;

/** Who was found by which key a moment ago. */
export class RecentPrincipals {
  readonly #found = new Map<string, { readonly principal: Principal; readonly until: number }>();

  add(keyId: string, principal: Principal): void {
    if (this.#found.size >= recentMax) this.#found.clear();
    this.#found.set(keyId, { principal, until: performance.now() + recentMs });
  }

  get(keyId: string): Principal | undefined {
    const found = this.#found.get(keyId);
    if (found === undefined || found.until > performance.now()) return found?.principal;
    this.#found.delete(keyId);
    return undefined;
  }
}
