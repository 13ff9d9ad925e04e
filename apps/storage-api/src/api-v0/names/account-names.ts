import type { Principal, SecretBox } from '@cairn/auth';
import { SECRETS } from '@cairn/auth/nest';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import {
  type DnsLink,
  DnslinkResolver,
  generateIpnsKey,
  type IpnsKey,
  ipnsNameText,
  type NameStore,
  openKey,
  parseIpnsName,
  RecordSource,
  resolveNamePath,
  type StoredKey,
  sealKey,
} from '@cairn/ipns';
import { Inject, Injectable } from '@nestjs/common';
import { PeerIdentity } from '../node/peer-identity.ts';
import { namePath } from './name-path.ts';
import { NAME_STORE } from './name-store.token.ts';

/** Label of the key that each account has. It cannot be removed or renamed. */
export const selfLabel = 'self';

/** How a name is looked for. */
export interface LookupOptions {
  readonly signal: AbortSignal;
  readonly isRecursive?: boolean;
  /** Ignores what was found in the network before. */
  readonly isFresh?: boolean;
  /** Stays on this machine. */
  readonly isOffline?: boolean;
}

/**
 * Keys and names of accounts. Each account has a `self` key of its own, since the key of the node belongs to the operator.
 * The peer ID of the node, which `id` returns, stands for `self` of the account in arguments of its own commands.
 */
@Injectable()
export class AccountNames {
  constructor(
    @Inject(NAME_STORE) readonly store: NameStore,
    @Inject(SECRETS) private readonly seals: SecretBox,
    @Inject(PeerIdentity) private readonly identity: PeerIdentity,
    @Inject(RecordSource) private readonly source: RecordSource,
    @Inject(DnslinkResolver) private readonly dnslinks: DnslinkResolver,
  ) {}

  /** Returns the `self` key, which is created at its first use. */
  async self({ account }: Principal): Promise<StoredKey> {
    const known = await this.store.keys.get(account.id, selfLabel);
    if (known !== undefined) return known;
    const key = sealKey(this.seals, account.id, selfLabel, await generateIpnsKey({ type: 'ed25519' }));
    try {
      await this.store.keys.add(account.id, key);
      return key;
    } catch (error) {
      // Another request has created it.
      const created = isCairnError(error, 'IPNS_KEY_EXISTS') && (await this.store.keys.get(account.id, selfLabel));
      if (created) return created;
      throw error;
    }
  }

  /** Lists the keys of an account: `self` first, then by label. */
  async list(principal: Principal): Promise<readonly StoredKey[]> {
    const self = await this.self(principal);
    const keys = await this.store.keys.list(principal.account.id);
    return [self, ...keys.filter(({ label }) => label !== selfLabel)];
  }

  /** Finds a key by its label, else by its name. */
  async find(principal: Principal, labelOrName: string): Promise<StoredKey | undefined> {
    if (labelOrName === selfLabel) return await this.self(principal);
    const labelled = await this.store.keys.get(principal.account.id, labelOrName);
    if (labelled !== undefined) return labelled;
    const name = parseIpnsName(labelOrName);
    if (name === undefined) return undefined;
    const own = await this.ownName(principal, name);
    return (await this.list(principal)).find((key) => key.name.equals(own));
  }

  /** Stores a new key. @throws IPNS_KEY_EXISTS, NAMES_FULL, SECRETS_KEY_UNUSABLE */
  async add({ account }: Principal, label: string, key: IpnsKey): Promise<StoredKey> {
    const stored = sealKey(this.seals, account.id, label, key);
    await this.store.keys.add(account.id, stored);
    return stored;
  }

  /** @throws SECRETS_KEY_UNUSABLE */
  open(accountId: string, key: StoredKey): IpnsKey {
    return openKey(this.seals, accountId, key);
  }

  /** Replaces the peer ID of the node by the `self` of the account. */
  async ownName(principal: Principal, name: CID): Promise<CID> {
    const { id } = await this.identity.get();
    return parseIpnsName(id)?.equals(name) ? (await this.self(principal)).name : name;
  }

  /** Like {@link ownName}, for a text, which may also be a domain. */
  async ownText(principal: Principal, text: string): Promise<string> {
    const name = parseIpnsName(text);
    const own = name && (await this.ownName(principal, name));
    return name === undefined || own === undefined || own.equals(name) ? text : ipnsNameText(own);
  }

  /** Returns the newest record of a name. */
  async record(principal: Principal, name: CID, { signal, isFresh, isOffline }: LookupOptions) {
    const own = await this.ownName(principal, name);
    return await this.source.find(own, { signal, isFresh: isFresh ?? false, isOffline: isOffline ?? false });
  }

  /** Resolves a name, which may be followed by a path. @throws NAME_UNRESOLVED, PATH_INVALID, IPNS_RECORD_INVALID */
  async resolve(principal: Principal, path: string, options: LookupOptions): Promise<DnsLink> {
    const { name, rest } = namePath(path);
    const { signal, isRecursive = true } = options;
    const sources = {
      ipnsRecord: (key: CID) => this.record(principal, key, options),
      dnslink: (domain: string) => this.dnslinks.find(domain),
    };
    const found = await resolveNamePath(await this.ownText(principal, name), sources, { signal, isRecursive });
    return { ...found, path: [found.path, ...rest].join('/') };
  }
}
