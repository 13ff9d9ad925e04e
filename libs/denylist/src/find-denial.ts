import type { CID } from '@cairn/cid';
import type { Denial, Denylist } from './denylist.ts';

/** Path that was resolved. */
export interface ResolvedPath {
  /** Content path as it was requested, decoded: `/ipfs/<cid>/names` or `/ipns/<name>/names`. */
  readonly path: string;
  /** Blocks from the root to the requested one, as far as they are known. */
  readonly roots: readonly CID[];
  /** Names below the first root. */
  readonly names: readonly string[];
}

/**
 * Finds the reason to deny a path: its name, its root, each block on the way, and each block with the names below it. Content
 * below a denied path is therefore denied through every parent.
 */
export function findDenial(denylist: Denylist, { path, roots, names }: ResolvedPath): Denial | undefined {
  const [, name, below = ''] = /^\/ipns\/([^/]+)(.*)$/s.exec(path) ?? [];
  if (name !== undefined) {
    const denial = denylist.name(name) ?? denylist.name(name, below);
    if (denial !== undefined) return denial;
  }
  const seen = new Set<CID>();
  for (const [at, root] of roots.entries()) {
    if (seen.has(root)) continue;
    seen.add(root);
    const denial =
      denylist.cid(root) ?? (at < names.length ? denylist.cid(root, names.slice(at).join('/')) : undefined);
    if (denial !== undefined) return denial;
  }
  return undefined;
}
