import { errorText } from '@cairn/errors';
import type { Pinning } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { printCid } from '../print-cid.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  verbose: { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** `pin/verify`: whether every DAG that the account pins is whole; with `verbose`, those that are too. */
@Injectable()
export class PinVerifyCommand implements Command<typeof options> {
  readonly name = 'pin/verify';
  readonly scope = 'read';
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly options = options;

  constructor(@Inject(PINNING) private readonly pinning: Pinning) {}

  async run({ principal, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    for await (const { pin, error } of this.pinning.verify(principal.account.id, { signal })) {
      const Cid = printCid(pin.cid, chosen['cid-base']);
      if (error === undefined) {
        if (chosen.verbose) await writeLine(response, { Cid, Ok: true }, signal);
        continue;
      }
      const bad =
        error instanceof Object && 'details' in error ? (error.details as { readonly cid?: string }).cid : undefined;
      const BadNodes = [{ Cid: bad ?? Cid, Err: errorText(error) }];
      await writeLine(response, { Cid, Ok: false, ...(!chosen.quiet && { BadNodes }) }, signal);
    }
    endLines(response);
  }
}
