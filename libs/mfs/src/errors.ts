import { CairnError } from '@cairn/errors';

/** Thrown for a path that does not start with a slash. */
export class InvalidTreePathError extends CairnError<'PATH_INVALID'> {
  constructor(path: string, reason: string) {
    super('PATH_INVALID', reason, { details: { path: path.slice(0, 200) } });
  }
}

/** Thrown for a path without an entry. The message is Kubo's. */
export class FileNotFoundError extends CairnError<'FILE_NOT_FOUND'> {
  constructor(path: string) {
    super('FILE_NOT_FOUND', 'file does not exist', { details: { path } });
  }
}

/** Thrown if an entry already exists at the path. The message is Kubo's. */
export class EntryExistsError extends CairnError<'ENTRY_EXISTS'> {
  constructor(path: string, message = 'directory already has entry by that name') {
    super('ENTRY_EXISTS', message, {
      hint: 'Remove it first, or choose another name.',
      details: { path },
    });
  }
}

/** Thrown for a path through or to a node that is not a directory. The message is Kubo's and depends on the command. */
export class NotADirectoryPathError extends CairnError<'NOT_A_DIRECTORY'> {
  constructor(path: string, message = `cannot access ${path.replace(/^\/+/, '')}: Not a directory`) {
    super('NOT_A_DIRECTORY', message, { details: { path } });
  }
}

/** Thrown for a path to a directory or another node without bytes. The message is Kubo's. */
export class NotAFilePathError extends CairnError<'NOT_A_FILE'> {
  constructor(path: string) {
    super('NOT_A_FILE', `${path} was not a file`, { hint: 'Name a file below it.', details: { path } });
  }
}

/** Thrown if a directory is removed without `recursive`. The message is Kubo's. */
export class DirectoryRemovalError extends CairnError<'IS_A_DIRECTORY'> {
  constructor(path: string) {
    super('IS_A_DIRECTORY', 'path is a directory, use -r to remove directories', {
      hint: 'Repeat the call with recursive=true.',
      details: { path },
    });
  }
}

/** Thrown for a change that is never possible at this path, such as removing the root. */
export class TreeChangeError extends CairnError<'TREE_CHANGE_INVALID'> {
  constructor(message: string, path: string) {
    super('TREE_CHANGE_INVALID', message, { details: { path } });
  }
}

/** Thrown if other processes replaced the tree during every attempt of a change. */
export class TreeBusyError extends CairnError<'TREE_BUSY'> {
  constructor() {
    super('TREE_BUSY', 'The file tree was changed by others each time this change was ready.', {
      hint: 'Nothing was changed; try again.',
    });
  }
}

/** Thrown for a DAG that declares fewer bytes than it has, which would understate the usage of its account. */
export class UnderstatedDagError extends CairnError<'DAG_INVALID'> {
  constructor(cid: string, declared: number, found: number) {
    super('DAG_INVALID', `The DAG of ${cid} declares ${declared} bytes and has ${found}.`, {
      hint: 'Import its content again: an importer declares the actual sizes.',
      details: { cid, declared, found },
    });
  }
}
