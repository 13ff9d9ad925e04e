import type { CID } from '@cairn/cid';
import { InvalidOptionError, listDirectory, readNode, rewriteNode, type UnixfsNode } from '@cairn/unixfs';
import type { FileTree } from './file-tree.ts';
import { childPath, type TreePath } from './tree-path.ts';

/** Computes the new mode of a node from its current one: the low twelve bits of a POSIX mode. */
export type ModeChange = (mode: number, node: { readonly isDirectory: boolean }) => number;

const classes: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o0007, a: 0o7777 };
const permissions: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, s: 0o6000, t: 0o1000 };
const everyExecute = 0o111;

/**
 * Parses a mode as chmod(1) does: octal, or symbolic such as `u+x`, `go-w`, `a=r`, `+X`, several separated by commas.
 * @throws OPTION_INVALID
 */
export function parseModeChange(text: string): ModeChange {
  if (/^[0-7]{1,5}$/.test(text)) {
    const mode = Number.parseInt(text, 8) & 0o7777;
    return () => mode;
  }
  const changes = text.split(',').map((part): ModeChange => {
    const [, who = '', operator = '', what = ''] = /^([ugoa]*)([-+=])([rwxXst]*)$/.exec(part) ?? [];
    if (operator === '')
      throw new InvalidOptionError(
        'mode',
        `expected octal digits such as 0644, or u+x, go-w, a=r, not ${JSON.stringify(part.slice(0, 20))}`,
      );
    const reach = [...(who === '' ? 'a' : who)].reduce((bits, letter) => bits | (classes[letter] ?? 0), 0) | 0o1000;
    return (mode, { isDirectory }) => {
      const execute = what.includes('X') && (isDirectory || (mode & everyExecute) !== 0) ? everyExecute : 0;
      const asked = [...what].reduce((bits, letter) => bits | (permissions[letter] ?? 0), execute) & reach;
      if (operator === '+') return mode | asked;
      if (operator === '-') return mode & ~asked;
      return (mode & ~(reach & 0o777)) | asked;
    };
  });
  return (mode, node) => changes.reduce((before, change) => change(before, node), mode);
}

/**
 * Sets the mode of the node at a path; with `recursive`, also of every node below it.
 * @throws FILE_NOT_FOUND, NOT_A_DIRECTORY, OPTION_INVALID
 */
export async function changeMode(
  tree: FileTree,
  path: TreePath,
  change: ModeChange,
  { recursive = false }: { readonly recursive?: boolean } = {},
): Promise<void> {
  const node = await readNode(tree.blocks, await tree.lookup(path), tree.read);
  if (recursive && isDirectory(node)) {
    const names: string[] = [];
    for await (const { name } of listDirectory(tree.blocks, node, tree.read)) names.push(name);
    for (const name of names) await changeMode(tree, childPath(path, name), change, { recursive });
  }
  // Looked up again, since changes below have replaced the node.
  await tree.replace(path, await withMode(tree, await tree.lookup(path), change));
}

async function withMode(tree: FileTree, cid: CID, change: ModeChange): Promise<CID> {
  const node = await readNode(tree.blocks, cid, tree.read);
  const mode = change(node.mode ?? 0, { isDirectory: isDirectory(node) });
  return (await rewriteNode(tree.blocks, cid, { mode, ...tree.read })).cid;
}

function isDirectory({ type }: UnixfsNode): boolean {
  return type === 'directory' || type === 'hamt-sharded-directory';
}
