import { CairnError } from '@cairn/errors';

/** A path of a file tree starts with a slash. */
export class InvalidTreePathError extends CairnError<'PATH_INVALID'> {
  constructor(path: string, reason: string) {
    super('PATH_INVALID', reason, { details: { path: path.slice(0, 200) } });
  }
}

/** There is nothing at a path. Kubo's words. */
export class FileNotFoundError extends CairnError<'FILE_NOT_FOUND'> {
  constructor(path: string) {
    super('FILE_NOT_FOUND', 'file does not exist', { details: { path } });
  }
}

/** An entry is at a path where another one is to be made. Kubo's words. */
export class EntryExistsError extends CairnError<'ENTRY_EXISTS'> {
  constructor(path: string, message = 'directory already has entry by that name') {
    super('ENTRY_EXISTS', message, {
      hint: 'Remove it first, or choose another name.',
      details: { path },
    });
  }
}

/** A path leads through, or to, something that is no directory. Kubo's words, which differ from command to command. */
export class NotADirectoryPathError extends CairnError<'NOT_A_DIRECTORY'> {
  constructor(path: string, message = `cannot access ${path.replace(/^\/+/, '')}: Not a directory`) {
    super('NOT_A_DIRECTORY', message, { details: { path } });
  }
}

/** A path leads to a directory, or to something else that has no bytes. Kubo's words. */
export class NotAFilePathError extends CairnError<'NOT_A_FILE'> {
  constructor(path: string) {
    super('NOT_A_FILE', `${path} was not a file`, { hint: 'Name a file below it.', details: { path } });
  }
}

/** A directory is not removed by mistake. Kubo's words. */
export class DirectoryRemovalError extends CairnError<'IS_A_DIRECTORY'> {
  constructor(path: string) {
    super('IS_A_DIRECTORY', 'path is a directory, use -r to remove directories', {
      hint: 'Ask with recursive=true.',
      details: { path },
    });
  }
}

/** Something that cannot be done with this path at all, such as removing the root. */
export class TreeChangeError extends CairnError<'TREE_CHANGE_INVALID'> {
  constructor(message: string, path: string) {
    super('TREE_CHANGE_INVALID', message, { details: { path } });
  }
}

/** Others changed the tree again and again while a change was being made. */
export class TreeBusyError extends CairnError<'TREE_BUSY'> {
  constructor() {
    super('TREE_BUSY', 'The file tree was changed by others each time this change was ready.', {
      hint: 'Nothing was changed; try again.',
    });
  }
}

/** A DAG declares fewer bytes than it has, so what it costs its account would be wrong. */
export class UnderstatedDagError extends CairnError<'DAG_INVALID'> {
  constructor(cid: string, declared: number, found: number) {
    super('DAG_INVALID', `The DAG of ${cid} declares ${declared} bytes and has ${found}.`, {
      hint: 'Add its content again: an importer writes the sizes as they are.',
      details: { cid, declared, found },
    });
  }
}
