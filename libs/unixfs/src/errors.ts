import { CairnError } from '@cairn/errors';

/** Thrown for a block that does not decode as a dag-pb or UnixFS node. */
export class InvalidNodeError extends CairnError<'DAG_INVALID'> {
  constructor(what: string, reason: string) {
    super('DAG_INVALID', `${what} is not a valid UnixFS node: ${reason}.`, {
      hint: 'Only files and directories written as UnixFS (dag-pb or raw) can be read here.',
      details: { what, reason },
    });
  }
}

/** Thrown for a path that does not start with a CID, or has an invalid name. */
export class InvalidPathError extends CairnError<'PATH_INVALID'> {
  /** `cidText` is the part of the path that should be a CID. */
  constructor(path: string, reason: string, { cidText }: { readonly cidText?: string | undefined } = {}) {
    super('PATH_INVALID', `invalid path ${JSON.stringify(path.slice(0, 4096))}: ${reason}`, {
      hint: 'Expected <cid>, /ipfs/<cid> or one of them followed by /names.',
      details: { path, ...(cidText !== undefined && { cidText }) },
    });
  }
}

/** Thrown if a directory has no entry of that name. */
export class LinkNotFoundError extends CairnError<'LINK_NOT_FOUND'> {
  constructor(name: string, cid: string) {
    super('LINK_NOT_FOUND', `no link named ${JSON.stringify(name)} under ${cid}`, { details: { name, cid } });
  }
}

/** Thrown for a directory, or another node without bytes of its own. */
export class NotAFileError extends CairnError<'NOT_A_FILE'> {
  constructor(cid: string, kind: string) {
    super('NOT_A_FILE', kind === 'directory' ? 'this dag node is a directory' : `${cid} is a ${kind}, not a file`, {
      hint: 'Name a file below it.',
      details: { cid, kind },
    });
  }
}

/** Thrown for a node without entries: a file or a symlink. */
export class NotADirectoryError extends CairnError<'NOT_A_DIRECTORY'> {
  constructor(cid: string, kind: string) {
    super('NOT_A_DIRECTORY', `${cid} is a ${kind}, not a directory`, {
      hint: 'Read a file with cat.',
      details: { cid, kind },
    });
  }
}

/** Thrown for an option that is out of range. */
export class InvalidOptionError extends CairnError<'OPTION_INVALID'> {
  constructor(option: string, reason: string) {
    super('OPTION_INVALID', `Option ${option}: ${reason}.`, { details: { option } });
  }
}

/** Thrown for an option or entry that Kubo refuses as well. The message is Kubo's, since clients match it. */
export class RefusedOptionError extends CairnError<'OPTION_INVALID'> {
  constructor(option: string, message: string) {
    super('OPTION_INVALID', message, { details: { option } });
  }
}
