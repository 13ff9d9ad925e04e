import {
  Auth,
  AuthError,
  type FailureGate,
  type Principal,
  parseBasicCredentials,
  requireClient,
  requireStorage,
  sharedFailureGate,
} from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import type { PinStore } from '@cairn/pinning';
import type { ProcessGroup } from '@cairn/service-kit';
import { PROCESSES, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { AddressLimits, AdmittedRequest } from './address-limits.ts';
import type { RequestSource } from './client-of-request.ts';
import { type ContentScope, scopeOfPath, scopeOfPins } from './content-scope.ts';
import { DedicatedHosts } from './dedicated-hosts.ts';
import { linkCookie, linkOfCookie, linkOfTarget } from './link-cookie.ts';
import { PINS } from './pins.token.ts';
import type { IpfsGatewaySettings } from './settings.ts';
import { sharedAddressLimits } from './shared-address-limits.ts';

/** Permission of one request. */
export interface Access {
  /** Account that pays and key whose permissions apply. Absent for a public request. */
  readonly principal?: Principal;
  /** Content that may be read. Absent: every block of the store. */
  readonly scope?: ContentScope;
  /** Reports whether shared caches may store the response. */
  readonly isShared: boolean;
  /** Reports whether the URL is a secret, which no other site may get as the referrer. */
  readonly hasSecretUrl?: boolean;
  /** Cookie with the link, for the parts of a page. */
  readonly cookie?: string;
  /** Limits of a public request. */
  readonly admitted?: AdmittedRequest;
}

/** Decides whether a request may read: with a content link, a key, through a dedicated host, or as the public. */
@Injectable()
export class ContentAccess implements OnApplicationShutdown {
  readonly #isPublic: boolean;
  readonly #auth: Auth;
  readonly #hosts: DedicatedHosts;
  readonly #pins: PinStore;
  readonly #failures: FailureGate;
  readonly #addresses: AddressLimits;

  constructor(
    @Inject(Auth) auth: Auth,
    @Inject(DedicatedHosts) hosts: DedicatedHosts,
    @Inject(PINS) pins: PinStore,
    @Inject(SETTINGS) settings: IpfsGatewaySettings,
    @Inject(PROCESSES) processes: ProcessGroup,
  ) {
    this.#failures = sharedFailureGate(processes);
    this.#auth = auth;
    this.#hosts = hosts;
    this.#pins = pins;
    this.#isPublic = settings.IPFS_GATEWAY_ACCESS === 'public';
    const limits = {
      requestsPerSecond: settings.IPFS_GATEWAY_ADDRESS_REQUESTS_PER_SECOND,
      bytesPerSecond: settings.IPFS_GATEWAY_ADDRESS_BYTES_PER_SECOND,
      concurrentMax: settings.IPFS_GATEWAY_ADDRESS_CONCURRENT_MAX,
      totalMax: settings.IPFS_GATEWAY_PUBLIC_CONCURRENT_MAX,
    };
    this.#addresses = sharedAddressLimits(limits, processes);
  }

  /** @throws the errors of `Auth`, ATTEMPTS_PAUSED, ADDRESS_LIMITED */
  async check(source: RequestSource): Promise<Access> {
    const token = linkOfTarget(source.target);
    if (token !== undefined) return await this.#checkLink(token, source);
    if (source.headers.authorization !== undefined) return { principal: await this.#checkKey(source), isShared: false };
    const remembered = await this.#checkCookie(source);
    if (remembered !== undefined) return remembered;
    const accountId = this.#hosts.accountOf(source.host);
    if (accountId !== undefined) return await this.#checkHost(accountId);
    if (this.#isPublic) return { isShared: true, admitted: this.#addresses.admit(source.address) };
    return { principal: await this.#checkKey(source), isShared: false };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#pins.close();
  }

  async #checkLink(token: string, source: RequestSource): Promise<Access> {
    const { principal, path } = await this.#auth.verifyContentLink(token);
    this.#requireRead(principal, source);
    const cookie = linkCookie(token, path, source);
    return { principal, scope: scopeOfPath(path), isShared: false, hasSecretUrl: true, ...(cookie && { cookie }) };
  }

  /** Returns the permission of a link that the browser opened before. A link that has ended permits nothing. */
  async #checkCookie(source: RequestSource): Promise<Access | undefined> {
    const token = linkOfCookie(source.headers.cookie);
    if (token === undefined) return undefined;
    try {
      const { principal, path } = await this.#auth.verifyContentLink(token);
      this.#requireRead(principal, source);
      return { principal, scope: scopeOfPath(path), isShared: false };
    } catch (error) {
      if (isCairnError(error, 'LINK_INVALID')) return undefined;
      throw error;
    }
  }

  async #checkHost(accountId: string): Promise<Access> {
    const principal = await this.#auth.hostPrincipal(accountId);
    this.#auth.requireCard(principal);
    return { principal, scope: scopeOfPins(this.#pins, accountId), isShared: true };
  }

  async #checkKey(source: RequestSource): Promise<Principal> {
    const credentials = parseBasicCredentials(source.headers.authorization);
    // A request without a readable key guesses nothing, so it does not pause its address.
    if (credentials === undefined) throw keyMissing();
    const { address } = source;
    this.#failures.check(credentials.keyId, address);
    const principal = await this.#auth.authenticate(credentials).catch((error: unknown) => {
      if (isCairnError(error, 'CREDENTIALS_INVALID')) this.#failures.recordFailure(credentials.keyId, address);
      throw error;
    });
    this.#failures.recordSuccess(credentials.keyId, address);
    this.#requireRead(principal, source);
    return principal;
  }

  #requireRead(principal: Principal, { address, headers }: RequestSource): void {
    requireClient(principal.key.policy, { address, origin: headers.origin });
    requireStorage(principal.key.policy, 'read');
    this.#auth.requireCard(principal);
  }
}

function keyMissing(): AuthError {
  return new AuthError('CREDENTIALS_INVALID', 'This gateway needs an API key and its secret, as Basic credentials.', {
    hint: 'Or open a link that the owner of the content has shared.',
  });
}
