import { BlockList, isIP } from 'node:net';
import { AuthError } from './errors.ts';

/** Storage permissions of a key: read content and pins, add content, change pins. */
export const storageScopes = ['read', 'add', 'pin'] as const;
export type StorageScope = (typeof storageScopes)[number];

/**
 * Permissions that a key has only if its policy lists them. `send`: transactions may be sent. `node`: commands about the
 * IPFS peer of the operator may be called; only operators grant it. `call-without-from`: `eth_call` may omit `from` on
 * networks that require it.
 */
export const keyGrants = ['send', 'node', 'call-without-from'] as const;
export type KeyGrant = (typeof keyGrants)[number];

/** Restrictions of a key. An absent list restricts nothing, except for `grants`; an empty list allows nothing. */
export interface KeyPolicy {
  readonly storage?: readonly StorageScope[];
  /** Names of networks allowed for JSON-RPC. */
  readonly networks?: readonly string[];
  /** Allowed JSON-RPC methods. A name that ends with `*` allows every method with that prefix. */
  readonly methods?: readonly string[];
  /** Contracts that JSON-RPC may read or call: addresses in lower case. */
  readonly contracts?: readonly string[];
  /** Allowed web origins, such as `https://app.example`. A request without an Origin is refused as well. */
  readonly origins?: readonly string[];
  /** Allowed IP addresses and ranges of clients (CIDR, RFC 4632 and RFC 4291). */
  readonly addresses?: readonly string[];
  /** Permissions beyond those of every key. Keys stored without this list have none of them. */
  readonly grants?: readonly KeyGrant[];
}

/** Origin of a request. */
export interface Client {
  /** IP address. */
  readonly address: string | undefined;
  /** Value of the Origin header. */
  readonly origin: string | undefined;
}

/** Maximum entries of one list. Each request searches them in order. */
export const policyEntriesMax = 100;

const shapes: Readonly<Record<keyof KeyPolicy, readonly [RegExp, string]>> = {
  storage: [/^(read|add|pin)$/, 'read, add or pin'],
  networks: [/^[a-z0-9-]{1,32}$/, 'the name of a network, such as mainnet'],
  methods: [/^[A-Za-z0-9_.]{1,128}\*?$/, 'a method such as eth_call, or a prefix such as eth_*'],
  contracts: [/^0x[0-9a-f]{40}$/, 'an address, 0x and 40 digits'],
  origins: [/^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/, 'an origin such as https://app.example'],
  addresses: [/^[0-9a-f:.]{2,45}(\/\d{1,3})?$/, 'an IP address or a range such as 10.0.0.0/8'],
  grants: [/^(send|node|call-without-from)$/, 'send, node or call-without-from'],
};

/**
 * Validates a policy and normalizes its entries. An unknown name is refused: a misspelled restriction would restrict nothing.
 * @throws VALUE_INVALID naming the entry
 */
export function parseKeyPolicy(policy: KeyPolicy): KeyPolicy {
  for (const [field, entries] of Object.entries(policy))
    if (entries !== undefined && !Object.hasOwn(shapes, field))
      throw invalid('policy', field, `a restriction: ${Object.keys(shapes).join(', ')}`);
  const parsed: Record<string, readonly string[]> = {};
  for (const [field, [pattern, expected]] of Object.entries(shapes)) {
    const entries: readonly string[] | undefined = policy[field as keyof KeyPolicy];
    if (entries === undefined) continue;
    if (!Array.isArray(entries) || entries.length > policyEntriesMax)
      throw invalid(
        field,
        Array.isArray(entries) ? entries.length : entries,
        `a list of at most ${policyEntriesMax} entries`,
      );
    parsed[field] = entries.map((entry: unknown) => {
      if (typeof entry !== 'string') throw invalid(field, entry, expected);
      const normal = field === 'methods' ? entry : entry.toLowerCase();
      if (!pattern.test(normal)) throw invalid(field, entry, expected);
      if (field === 'addresses') addTo(new BlockList(), normal);
      return normal;
    });
  }
  return parsed;
}

function invalid(field: string, value: unknown, expected: string): AuthError {
  return new AuthError('VALUE_INVALID', `${field}: ${JSON.stringify(value)?.slice(0, 80)} is not ${expected}.`, {
    details: { field },
  });
}

/** Requires that the policy allows the origin and the IP address of the client. @throws CLIENT_NOT_ALLOWED */
export function requireClient({ origins, addresses }: KeyPolicy, client: Client): void {
  if (origins && !origins.includes(client.origin?.toLowerCase() ?? '')) {
    const from = client.origin === undefined ? 'requests without an Origin' : 'the origin of the request';
    throw refused('CLIENT_NOT_ALLOWED', `This API key does not allow ${from}.`);
  }
  if (addresses && !matchesRange(addresses, client.address))
    throw refused('CLIENT_NOT_ALLOWED', 'This API key does not allow the IP address of the client.');
}

/** Requires a storage permission. @throws KEY_SCOPE_MISSING */
export function requireStorage({ storage }: KeyPolicy, scope: StorageScope): void {
  if (storage && !storage.includes(scope))
    throw refused('KEY_SCOPE_MISSING', `This API key does not have the storage scope ${JSON.stringify(scope)}.`);
}

/** Requires that the policy allows the network. @throws KEY_SCOPE_MISSING */
export function requireNetwork({ networks }: KeyPolicy, name: string): void {
  if (networks && !networks.includes(name))
    throw refused('KEY_SCOPE_MISSING', `This API key does not allow the network ${JSON.stringify(name)}.`);
}

/** Requires that the policy allows the method. @throws KEY_SCOPE_MISSING */
export function requireMethod({ methods }: KeyPolicy, name: string): void {
  if (methods === undefined) return;
  const isAllowed = methods.some((entry) =>
    entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
  if (!isAllowed) throw refused('KEY_SCOPE_MISSING', `This API key does not allow the method ${JSON.stringify(name)}.`);
}

const grantHints: Readonly<Record<KeyGrant, string>> = {
  send: 'Add it with `cairn key limit --grants send` and the other limits of the key, or on the page Keys of the console.',
  node: 'An operator adds it with `cairn key limit --grants node` and the other limits of the key.',
  'call-without-from':
    'Add it with `cairn key limit --grants call-without-from` and the other limits of the key, or on the page Keys of the console.',
};

/** Requires a permission that no key has by default. @throws KEY_SCOPE_MISSING that states how to grant it */
export function requireGrant({ grants = [] }: KeyPolicy, grant: KeyGrant): void {
  if (grants.includes(grant)) return;
  throw new AuthError('KEY_SCOPE_MISSING', `This API key does not have the scope ${JSON.stringify(grant)}.`, {
    hint: grantHints[grant],
  });
}

/**
 * Requires that the policy allows every contract that a request reads or calls.
 * @param named addresses of the contracts; `undefined` if the request does not name one
 * @throws KEY_SCOPE_MISSING
 */
export function requireContracts({ contracts }: KeyPolicy, named: readonly (string | undefined)[]): void {
  if (contracts === undefined) return;
  for (const address of named) {
    if (address !== undefined && contracts.includes(address.toLowerCase())) continue;
    const what = address === undefined ? 'requests that name no contract' : `the address ${address.toLowerCase()}`;
    throw refused('KEY_SCOPE_MISSING', `This API key does not allow ${what}.`);
  }
}

/**
 * Requires a key that is not restricted to contracts, for a request that reads state of any contract.
 * @param what description of the request, for the message
 * @throws KEY_SCOPE_MISSING
 */
export function requireAllContracts({ contracts }: KeyPolicy, what: string): void {
  if (contracts === undefined) return;
  throw refused('KEY_SCOPE_MISSING', `This API key is limited to contracts, and does not allow ${what}.`);
}

function refused(code: 'CLIENT_NOT_ALLOWED' | 'KEY_SCOPE_MISSING', message: string): AuthError {
  return new AuthError(code, message, {
    hint: 'Use another key, or change what this one allows with `cairn key limit`.',
  });
}

const lists = new WeakMap<readonly string[], BlockList>();

function matchesRange(ranges: readonly string[], address: string | undefined): boolean {
  if (address === undefined) return false;
  let list = lists.get(ranges);
  if (list === undefined) {
    list = new BlockList();
    for (const range of ranges) addTo(list, range);
    lists.set(ranges, list);
  }
  // A dual-stack socket reports IPv4 clients as IPv4-mapped IPv6 addresses.
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** @throws VALUE_INVALID */
function addTo(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/');
  const family = isIP(address);
  const bitsMax = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? bitsMax : Number(bits);
  if (family === 0 || prefix > bitsMax) throw invalid('addresses', range, shapes.addresses[1]);
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
}
