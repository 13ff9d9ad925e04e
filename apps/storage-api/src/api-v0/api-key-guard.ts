import type { IncomingMessage } from 'node:http';
import { Auth, FailureGate, type Principal, parseBasicCredentials, requireClient, requireStorage } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import { Inject, Injectable } from '@nestjs/common';
import type { Command } from './command.ts';

/** Authenticates requests and checks that their key allows the client and the command. */
@Injectable()
export class ApiKeyGuard {
  readonly #failures = new FailureGate();

  constructor(@Inject(Auth) private readonly auth: Auth) {}

  /** Returns the caller. Writes need accounts that can be read now. @throws the errors of `Auth`, and ATTEMPTS_PAUSED after repeated failures */
  async canActivate(
    { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
    { scope }: Pick<Command, 'scope'>,
    parseCredentials = parseBasicCredentials,
  ): Promise<Principal> {
    const credentials = parseCredentials(headers.authorization) ?? { keyId: '', secret: '' };
    const { remoteAddress: address } = socket;
    this.#failures.check(credentials.keyId, address);
    const principal = await this.auth.authenticate(credentials).catch((error: unknown) => {
      if (isCairnError(error, 'CREDENTIALS_INVALID')) this.#failures.recordFailure(credentials.keyId, address);
      throw error;
    });
    this.#failures.recordSuccess(credentials.keyId, address);
    const { policy } = principal.key;
    requireClient(policy, { address, origin: headers.origin });
    requireStorage(policy, scope);
    if (scope !== 'read') this.auth.requireCurrent();
    this.auth.requireCard(principal);
    return principal;
  }
}
