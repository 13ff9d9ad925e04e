import { posix } from 'node:path';
import { ApiError, PlainApiError } from './api-error.ts';
import type { Command } from './command.ts';

/** Characters of a path with its query: 1,000 CIDs as arguments, the most that a command takes. */
export const urlCharactersMax = 65_536;

/** A doubled slash, or a segment `.` or `..`. */
const unclean = /\/(?:\/|\.{1,2}(?:\/|$))/;

/**
 * Returns the URL without doubled slashes and relative segments in its path, for a path of `prefix` with such parts. Clients
 * send them where an address ends with a slash: `http://host:5001/` and `/api/v0/add`.
 */
export function cleanUrl(url: string, prefix: string): string | undefined {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  if (!unclean.test(path)) return undefined;
  const clean = posix.normalize(path);
  return clean.startsWith(prefix) ? `${clean}${at === -1 ? '' : url.slice(at)}` : undefined;
}

/** Command that a path names. */
export interface RequestTarget {
  /** Absent for the name of a group of commands such as `pin`: Kubo sends an empty response for it. */
  readonly command: Command | undefined;
  /** Arguments in the path. */
  readonly pathArgs: readonly string[];
}

/** Commands of Kubo's command line only, below others that take an argument in the path. */
const localCommands: ReadonlySet<string> = new Set(['commands/completion', 'config/edit']);

/** Finds commands by path, as Kubo does: the last part of `refs/<cid>` is an argument, since `refs` is a command. */
export class RequestTargets {
  readonly #commands: ReadonlyMap<string, Command>;
  readonly #groups: ReadonlySet<string>;

  constructor(commands: readonly Command[]) {
    this.#commands = new Map(commands.map((command) => [command.name, command]));
    this.#groups = new Set(commands.flatMap(({ name }) => prefixesOf(name)));
  }

  /** Finds the command of a path below /api/v0/. @throws PlainApiError 404 */
  find(path: string): RequestTarget {
    const name = decodePath(path);
    const command = this.#commands.get(name);
    if (command !== undefined) return { command, pathArgs: [] };
    if (this.#groups.has(name)) return { command: undefined, pathArgs: [] };
    const at = name.lastIndexOf('/');
    const parent = at === -1 ? undefined : this.#commands.get(name.slice(0, at));
    if (parent === undefined || localCommands.has(name)) throw new PlainApiError(404, '404 page not found');
    return { command: parent, pathArgs: [name.slice(at + 1)] };
  }
}

/**
 * Checks the number of arguments. As in Kubo, further ones are ignored where the number is fixed.
 * @throws PlainApiError 400 for a missing argument; ApiError 400 for more than one request may have
 */
export function checkArgs({ args: { name, min, max } }: Pick<Command, 'args'>, given: readonly string[]): string[] {
  const names = typeof name === 'string' ? [name] : name;
  if (given.length < min) {
    const missing = names[Math.min(given.length, names.length - 1)];
    throw new PlainApiError(400, `argument ${JSON.stringify(missing)} is required`);
  }
  const takesMany = max > names.length;
  if (takesMany && given.length > max) {
    throw new ApiError(400, `expected ${max} arguments at most, got ${given.length}; send several requests`);
  }
  return given.slice(0, max);
}

function prefixesOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new PlainApiError(400, '400 Bad Request: the path has a percent sign that encodes no character');
  }
}
