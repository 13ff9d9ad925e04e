import { type Database, Environment } from '@cairn/embedded-store';
import { accountsFormat } from './accounts-format.ts';
import { AuthError } from './errors.ts';

/** Maximum number of dedicated hosts: each request compares its host with the list. */
export const gatewayHostsMax = 1000;

/** Host name of the IPFS gateway that serves what one account has pinned. */
export interface GatewayHost {
  /** Lower case, without a port. */
  readonly host: string;
  readonly accountId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The port to dedicated hosts. A change is durable when the promise resolves, and all processes see it with the next read. */
export interface GatewayHostStore {
  /** Lists the hosts by name. */
  list(): Promise<readonly GatewayHost[]>;
  /** Assigns a host to an account. @throws VALUE_INVALID; GATEWAY_HOST_EXISTS if it belongs to another account */
  put(host: GatewayHost): Promise<void>;
  /** @throws GATEWAY_HOST_NOT_FOUND */
  remove(host: string): Promise<void>;
  close(): Promise<void>;
}

const hostPattern = /^(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Normalizes the name of a host to add. @throws VALUE_INVALID for anything else, such as an address or a name with a port */
export function parseGatewayHost(text: string): string {
  const host = parseHostName(text);
  // `localhost` reaches the gateway of all accounts. A host below the namespace of another host would be read as a CID of it.
  if (host === 'localhost' || !isHostOfUrls(host) || /(^|\.)ip[fn]s\./.test(host)) throw hostInvalid(text);
  return host;
}

/** Normalizes the name of a host to look up, also of one that can no longer be added. @throws VALUE_INVALID */
export function parseHostName(text: string): string {
  const host = text.toLowerCase().replace(/\.$/, '');
  if (!hostPattern.test(host)) throw hostInvalid(text);
  return host;
}

/** Reports whether URLs can have the host as a name. Browsers read `a.1` and `0x7f` as addresses, and refuse some `xn--`. */
function isHostOfUrls(host: string): boolean {
  return !/^[\d.]+$/.test(host) && URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host;
}

function hostInvalid(text: string): AuthError {
  return new AuthError(
    'VALUE_INVALID',
    `host: ${JSON.stringify(text.slice(0, 80))} is not a host name such as files.example.`,
    {
      hint: 'Name the host without a scheme, port or path, not localhost, and not below ipfs. or ipns. of another host.',
      details: { field: 'host' },
    },
  );
}

export function gatewayHostExists(host: string): AuthError {
  return new AuthError('GATEWAY_HOST_EXISTS', `The host ${host} belongs to another account.`, {
    hint: 'Remove it first, or choose another name.',
  });
}

export function gatewayHostsFull(): AuthError {
  return new AuthError('VALUE_INVALID', `There are ${gatewayHostsMax} dedicated hosts already.`, {
    hint: 'Remove a host that is no longer used.',
  });
}

export function gatewayHostNotFound(host: string): AuthError {
  return new AuthError('GATEWAY_HOST_NOT_FOUND', `There is no dedicated host ${host}.`, {
    hint: 'List the hosts with `cairn gateway host list`.',
  });
}

/** Opens the dedicated hosts in the LMDB environment of the accounts. @throws STORE_UNAVAILABLE, STORE_CORRUPT */
export async function openLmdbGatewayHostStore({
  directory,
}: {
  readonly directory: string;
}): Promise<GatewayHostStore> {
  return new LmdbGatewayHostStore(await Environment.open({ directory, format: accountsFormat }));
}

class LmdbGatewayHostStore implements GatewayHostStore {
  readonly #environment: Environment;
  readonly #hosts: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#hosts = environment.database('gateway-hosts');
  }

  async list(): Promise<readonly GatewayHost[]> {
    this.#environment.refresh();
    return [...this.#hosts.range()].map(({ value }) => decode(value));
  }

  async put(entry: GatewayHost): Promise<void> {
    const host = parseGatewayHost(entry.host);
    await this.#environment.transaction(() => {
      const known = this.#hosts.get(Buffer.from(host));
      if (known !== undefined && decode(known).accountId !== entry.accountId) throw gatewayHostExists(host);
      if (known === undefined && [...this.#hosts.range()].length >= gatewayHostsMax) throw gatewayHostsFull();
      this.#hosts.put(Buffer.from(host), Buffer.from(JSON.stringify({ ...entry, host })));
    });
  }

  async remove(text: string): Promise<void> {
    const host = parseHostName(text);
    await this.#environment.transaction(() => {
      if (!this.#hosts.has(Buffer.from(host))) throw gatewayHostNotFound(host);
      this.#hosts.remove(Buffer.from(host));
    });
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

function decode(bytes: Uint8Array): GatewayHost {
  return JSON.parse(Buffer.from(bytes).toString()) as GatewayHost;
}
