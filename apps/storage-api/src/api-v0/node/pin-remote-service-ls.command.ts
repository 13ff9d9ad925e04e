import { Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';

const options = { stat: { kind: 'boolean' } } as const;

/** `pin/remote/service/ls`: an empty list, since this service passes no pins to others. */
@Injectable()
export class PinRemoteServiceLsCommand implements Command<typeof options> {
  readonly name = 'pin/remote/service/ls';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = options;

  async run({ response }: CommandContext<typeof options>): Promise<void> {
    sendJson(response, { RemoteServices: [] });
  }
}
