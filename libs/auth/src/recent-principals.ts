import type { Principal } from './account.ts';

/** Lifetime of an entry, in milliseconds: a revocation takes effect within it. */
export const recentMs = 100;
/** Maximum number of entries. */
const recentMax = 10_000;

/** Cache of the principals that were identified in the last 100 ms. */
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
