import type { CID } from '@cairn/cid';
import { errorText } from '@cairn/errors';
import { type FileTree, parseTreePath } from '@cairn/mfs';
import { ApiError } from '../api-error.ts';
import { apiErrorFrom } from '../error-policy.ts';

/** An imported entry that `to-files` puts into the file tree of the account. */
export interface NewFile {
  readonly cid: CID;
  /** Name of the top part; empty where it has none. */
  readonly name: string;
}

/**
 * Puts added content at a path of the file tree, or into the directory that a path with a final slash names, as Kubo
 * does.
 * @throws ApiError, in Kubo's words
 */
export async function putInTree(tree: FileTree, destination: string, { cid, name }: NewFile, isFirst: boolean) {
  if (name === '') throw refused('cannot add unnamed files to MFS');
  const text = destination === '' ? '/' : destination;
  const path = await step('', async () => parseTreePath(text));
  const isInto = path.isInto || path.names.length === 0;
  const printed = isInto && path.names.length > 0 ? `/${path.names.join('/')}/` : path.text;
  if (isInto) {
    const directory = await step(`MFS destination directory ${JSON.stringify(printed)} does not exist: `, () =>
      tree.lookup(path),
    );
    if (!(await tree.isDirectory(directory)))
      throw refused(`MFS destination ${JSON.stringify(printed)} is not a directory`);
  } else if (!isFirst) {
    throw refused(`MFS destination is a file: only one entry can be copied to ${JSON.stringify(printed)}`);
  }
  const target = isInto ? parseTreePath(`${printed}${name.split('/').at(-1)}`) : path;
  const parent = parseTreePath(`/${target.names.slice(0, -1).join('/')}`);
  const shown = `${JSON.stringify(target.text)} ${JSON.stringify(parent.text)}`;
  await step(`MFS destination parent ${shown} does not exist: `, () => tree.lookup(parent));
  await step(`cannot put node in path ${JSON.stringify(target.text)}: `, () => tree.put(target, cid));
}

/** Runs a step and prefixes its errors with the step. */
async function step<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const known = apiErrorFrom(error);
    if (known === undefined) throw error;
    throw new ApiError(known.status, `to-files: ${what}${known.message || errorText(error)}`);
  }
}

function refused(message: string): ApiError {
  return new ApiError(400, `to-files: ${message}`);
}
