import { Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';

/** `name/pubsub/state`: IPNS over pubsub is off. */
@Injectable()
export class NamePubsubStateCommand implements Command<Record<never, never>> {
  readonly name = 'name/pubsub/state';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = {};

  async run({ response }: CommandContext<Record<never, never>>): Promise<void> {
    sendJson(response, { Enabled: false });
  }
}
