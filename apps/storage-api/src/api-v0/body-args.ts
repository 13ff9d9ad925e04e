import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import type { Command } from './command.ts';
import { readParts } from './multipart.ts';

/**
 * Commands whose last argument may be in the body, as `echo <cid> | ipfs pin add` sends it: the first line where the
 * argument is missing, or all lines beside the arguments of the query.
 */
const bodyArgs: Readonly<Record<string, 'first' | 'all'>> = {
  'block/get': 'first',
  'block/stat': 'first',
  'dag/export': 'first',
  'dag/get': 'first',
  'dag/resolve': 'first',
  'dag/stat': 'first',
  'cid/inspect': 'first',
  get: 'first',
  'name/publish': 'first',
  resolve: 'first',
  ping: 'first',
  'cid/base32': 'all',
  'cid/format': 'all',
  'key/rm': 'all',
  cat: 'all',
  ls: 'all',
  'pin/add': 'all',
  'pin/rm': 'all',
  refs: 'all',
  'provide/once': 'all',
  'routing/provide': 'all',
  'swarm/connect': 'all',
  'swarm/disconnect': 'all',
  'swarm/filters/add': 'all',
  'swarm/filters/rm': 'all',
};

/** A thousand paths of a thousand bytes. */
const bytesMax = 1024 * 1024;

/** Reports whether arguments are read from the body of a request: a multipart form with one file. */
export function hasBodyArgs(
  { name, args }: Pick<Command, 'name' | 'args'>,
  given: readonly string[],
  { headers }: Pick<IncomingMessage, 'headers'>,
): boolean {
  const kind = bodyArgs[name];
  if (kind === undefined || (kind === 'first' && given.length >= args.min)) return false;
  return /^\s*multipart\/form-data\s*;/i.test(headers['content-type'] ?? '');
}

/**
 * Reads arguments from the first file of the body, one per line.
 * @throws ApiError 400 for a body that is no multipart form, and for one of more than 1 MiB
 */
export async function readBodyArgs(
  { name, args }: Pick<Command, 'name' | 'args'>,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<string[]> {
  const argument = typeof args.name === 'string' ? args.name : (args.name.at(-1) ?? '');
  for await (const { bytes } of readParts(request, signal, argument)) {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of bytes) {
      length += chunk.length;
      if (length > bytesMax)
        throw new ApiError(400, `the arguments in the body have more than ${bytesMax} bytes; send several requests`);
      chunks.push(chunk);
    }
    const lines = Buffer.concat(chunks).toString().split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    return bodyArgs[name] === 'first' ? lines.slice(0, 1) : lines;
  }
  return [];
}
