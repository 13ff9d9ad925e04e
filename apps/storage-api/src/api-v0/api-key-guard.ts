import type { IncomingMessage } from 'node:http';
import {
  Auth,
  type Client,
  type FailureGate,
  type Principal,
  parseBasicCredentials,
  RecentPrincipals,
  requireClient,
  requireStorage,
  sharedFailureGate,
} from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import type { FastRequest, ProcessGroup } from '@cairn/service-kit';
import { PROCESSES } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Command } from './command.ts';

/** Authenticates requests and checks that their key allows the client and the command. */
@Injectable()
export class ApiKeyGuard {
  readonly #failures: FailureGate;
  /** Callers of the fast path: a change of an account or key takes effect there after 100 ms. */
  readonly #recent = new RecentPrincipals();

  constructor(
    @Inject(Auth) private readonly auth: Auth,
    @Inject(PROCESSES) processes: ProcessGroup,
  ) {
    this.#failures = sharedFailureGate(processes);
  }

  /** Like {@link canActivate}, but returns `undefined` for a caller that it may refuse, and records no failure then. */
  async findCaller(request: Pick<FastRequest, 'headers' | 'remoteAddress'>, scope: Command['scope']) {
    const { headers, remoteAddress: address } = request;
    const credentials = parseBasicCredentials(headers.authorization);
    if (credentials === undefined) return undefined;
    const text = `${credentials.keyId}:${credentials.secret}`;
    try {
      this.#failures.check(credentials.keyId, address);
      let principal = this.#recent.get(text);
      if (principal === undefined) {
        principal = await this.auth.authenticate(credentials);
        this.#recent.add(text, principal);
      }
      this.#requireAllowed(principal, { address, origin: headers.origin }, scope);
      this.#failures.recordSuccess(credentials.keyId, address);
      return principal;
    } catch {
      return undefined;
    }
  }

  /** Returns the caller. Writes need accounts that can be read now. @throws the errors of `Auth`, and ATTEMPTS_PAUSED after repeated failures */
  async canActivate(
    { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
    { scope }: Pick<Command, 'scope'>,
    parseCredentials = parseBasicCredentials,
  ): Promise<Principal> {
    const credentials = parseCredentials(headers.authorization);
    // A request without readable credentials guesses nothing, so it does not pause its address.
    if (credentials === undefined) return await this.auth.authenticate({ keyId: '', secret: '' });
    const { remoteAddress: address } = socket;
    this.#failures.check(credentials.keyId, address);
    const principal = await this.auth.authenticate(credentials).catch((error: unknown) => {
      if (isCairnError(error, 'CREDENTIALS_INVALID')) this.#failures.recordFailure(credentials.keyId, address);
      throw error;
    });
    this.#failures.recordSuccess(credentials.keyId, address);
    this.#requireAllowed(principal, { address, origin: headers.origin }, scope);
    return principal;
  }

  #requireAllowed(principal: Principal, client: Client, scope: Command['scope']): void {
    const { policy } = principal.key;
    requireClient(policy, client);
    requireStorage(policy, scope);
    if (scope !== 'read') this.auth.requireCurrent();
    this.auth.requireCard(principal);
  }
}
