import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../../settings.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { PeerIdentity } from '../node/peer-identity.ts';
import { sendJson } from '../write.ts';
import { configOf, configValue } from './config-values.ts';

const options = {
  bool: { kind: 'boolean' },
  json: { kind: 'boolean' },
  'expand-auto': { kind: 'boolean' },
} as const;
const showOptions = { 'expand-auto': { kind: 'boolean' } } as const;

/** `config`: returns one value. Writes are refused. */
@Injectable()
export class ConfigCommand implements Command<typeof options> {
  readonly name = 'config';
  readonly scope = 'read';
  readonly args = { name: ['key', 'value'], min: 1, max: 2 };
  readonly options = options;

  constructor(
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(PeerIdentity) private readonly identity: PeerIdentity,
  ) {}

  async run({ args, response }: CommandContext<typeof options>): Promise<void> {
    const [key = '', value] = args;
    const { id } = await this.identity.get();
    const found = () => configValue(configOf(this.settings, id), key);
    if (value !== undefined) {
      // Kubo's own message for a change of its private key.
      if (/^identity(\.privkey)?$/i.test(key)) found();
      const shown = JSON.stringify(key.slice(0, 64));
      throw new ApiError(500, `config ${shown} is read only: settings belong to the operator. Ask the operator.`);
    }
    sendJson(response, { Key: key, Value: found() });
  }
}

/** `config/show`: returns every value. */
@Injectable()
export class ConfigShowCommand implements Command<typeof showOptions> {
  readonly name = 'config/show';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = showOptions;

  constructor(
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(PeerIdentity) private readonly identity: PeerIdentity,
  ) {}

  async run({ response }: CommandContext<typeof showOptions>): Promise<void> {
    sendJson(response, configOf(this.settings, (await this.identity.get()).id));
  }
}
