import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { multibaseOf } from '@cairn/cid';
import { resolveDagPath } from '@cairn/dag';
import { parsePath } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';

const options = { recursive: { kind: 'boolean', default: true }, 'cid-base': { kind: 'text' } } as const;

/** `resolve`: returns the block that a path leads to. */
@Injectable()
export class ResolveCommand implements Command<typeof options> {
  readonly name = 'resolve';
  readonly scope = 'read';
  readonly args = { name: 'name', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = argument(args, 0, 'name');
    const { resolveName } = resolveOptionsOf(signal);
    const isName = resolveName !== undefined && /^\/+ipns\/+[^/]/.test(path);
    // Unlike a CID, a name does not choose the base of the response.
    if (isName && !chosen.recursive) return sendJson(response, { Path: await resolveName(path) });
    const parsed = parsePath(isName ? await resolveName(path) : path);
    const { cid, remainder } = await resolveDagPath(this.store, parsed, resolveOptionsOf(signal));
    const base = chosen['cid-base'] || (isName ? undefined : baseOf(path));
    sendJson(response, { Path: [`/${parsed.namespace ?? 'ipfs'}`, printCid(cid, base), ...remainder].join('/') });
  }
}

/** Multibase of the CID in a path, which the response uses too. Version 0 has none, so CIDs are unchanged. */
function baseOf(path: string): string | undefined {
  const parts = path.split('/');
  const text = parts[0] || parts[2] || '';
  if (text.startsWith('Qm')) return undefined;
  return multibaseOf(text)?.name;
}
