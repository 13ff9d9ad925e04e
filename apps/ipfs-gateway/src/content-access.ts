import type { IncomingMessage } from 'node:http';
import { Auth, FailureGate, type Principal, parseBasicCredentials, requireClient, requireStorage } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { IpfsGatewaySettings } from './settings.ts';

/** Decides whether a request may read: everybody where the operator has enabled it, else accounts with their key. */
@Injectable()
export class ContentAccess {
  readonly isPublic: boolean;
  readonly #auth: Auth;
  readonly #failures = new FailureGate();

  constructor(@Inject(Auth) auth: Auth, @Inject(SETTINGS) settings: IpfsGatewaySettings) {
    this.#auth = auth;
    this.isPublic = settings.IPFS_GATEWAY_ACCESS === 'public';
  }

  /** Returns the caller, or undefined for a public request without a key. @throws the errors of `Auth`, ATTEMPTS_PAUSED */
  async check({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): Promise<Principal | undefined> {
    if (this.isPublic && headers.authorization === undefined) return undefined;
    const credentials = parseBasicCredentials(headers.authorization) ?? { keyId: '', secret: '' };
    const { remoteAddress: address } = socket;
    this.#failures.check(credentials.keyId, address);
    const principal = await this.#auth.authenticate(credentials).catch((error: unknown) => {
      if (isCairnError(error, 'CREDENTIALS_INVALID')) this.#failures.recordFailure(credentials.keyId, address);
      throw error;
    });
    this.#failures.recordSuccess(credentials.keyId, address);
    requireClient(principal.key.policy, { address, origin: headers.origin });
    requireStorage(principal.key.policy, 'read');
    this.#auth.requireCard(principal);
    return principal;
  }
}
