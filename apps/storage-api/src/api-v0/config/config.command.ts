import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../../settings.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { PeerIdentity } from '../node/peer-identity.ts';
import { withinBounds } from '../peer/bounded-call.ts';
import { peerLimits } from '../peer/limits.ts';
import { hasNodeGrant } from '../peer/peer-command.ts';
import { sendJson } from '../write.ts';
import { type ConfigMap, configOf, configValue, nodeConfigOf } from './config-values.ts';

const options = {
  bool: { kind: 'boolean' },
  json: { kind: 'boolean' },
  'expand-auto': { kind: 'boolean' },
} as const;
const showOptions = { 'expand-auto': { kind: 'boolean' } } as const;

/** Collects the values that a key may see: those about accounts, and with the grant `node` those of the peer. */
@Injectable()
export class ConfigReader {
  constructor(
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(PeerIdentity) private readonly identity: PeerIdentity,
    @Inject(PEER_API) private readonly peer: PeerApi | undefined,
  ) {}

  async read(context: Pick<CommandContext, 'principal' | 'signal'>): Promise<ConfigMap> {
    const { peer } = this;
    const { signal } = context;
    const bounds = { signal, msMax: peerLimits.queryMsMax };
    if (peer === undefined || !hasNodeGrant(context)) return configOf(this.settings, (await this.identity.get()).id);
    const { id } = await withinBounds(bounds, (bound) => peer.describe(undefined, { signal: bound }));
    return { ...configOf(this.settings, id), ...(await withinBounds(bounds, () => nodeConfigOf(peer))) };
  }
}

/** `config`: returns one value. Writes are refused. */
@Injectable()
export class ConfigCommand implements Command<typeof options> {
  readonly name = 'config';
  readonly scope = 'read';
  readonly args = { name: ['key', 'value'], min: 1, max: 2 };
  readonly options = options;

  constructor(@Inject(ConfigReader) private readonly reader: ConfigReader) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const [key = '', value] = context.args;
    const config = await this.reader.read(context);
    if (value !== undefined) {
      // Kubo's own message for a change of its private key.
      if (/^identity(\.privkey)?$/i.test(key)) configValue(config, key);
      const shown = JSON.stringify(key.slice(0, 64));
      throw new ApiError(500, `config ${shown} is read only: settings belong to the operator. Ask the operator.`);
    }
    sendJson(context.response, { Key: key, Value: configValue(config, key) });
  }
}

/** `config/show`: returns every value. */
@Injectable()
export class ConfigShowCommand implements Command<typeof showOptions> {
  readonly name = 'config/show';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = showOptions;

  constructor(@Inject(ConfigReader) private readonly reader: ConfigReader) {}

  async run(context: CommandContext<typeof showOptions>): Promise<void> {
    sendJson(context.response, await this.reader.read(context));
  }
}
