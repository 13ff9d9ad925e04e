import type { IdentityClaims } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { type Logger, SettingsError } from '@cairn/service-kit';
import * as openid from 'openid-client';
import type { ConsoleSettings } from '../settings.ts';

/** Limits of sign-in with a provider. */
export const singleSignOnLimits = {
  /** From the start to the return of the browser, in milliseconds. */
  attemptMs: 10 * 60_000,
  /** Each request to the provider, in seconds. */
  requestSeconds: 10,
  /** The document of the provider is read again after a failure, at most this often, in milliseconds. */
  retryMs: 5_000,
} as const;

/** Secrets of one sign-in, which the browser keeps in a cookie until it returns. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Sign-in with an OpenID provider: authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636). */
export class SingleSignOn {
  /** Label of the button. */
  readonly name: string;
  readonly #issuer: URL;
  readonly #clientId: string;
  readonly #clientSecret: string;
  readonly #logger: Pick<Logger, 'warn'>;
  #provider: Promise<openid.Configuration> | undefined;

  constructor({
    name,
    issuer,
    clientId,
    clientSecret,
    logger,
  }: {
    readonly name: string;
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly logger: Pick<Logger, 'warn'>;
  }) {
    this.name = name;
    this.#issuer = new URL(issuer);
    this.#clientId = clientId;
    this.#clientSecret = clientSecret;
    this.#logger = logger;
  }

  /** Returns the address to which the browser goes. @throws SIGN_IN_UNAVAILABLE */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly attempt: Attempt }> {
    const provider = await this.#discovered();
    const attempt = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
    };
    const url = openid.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url, attempt };
  }

  /**
   * Exchanges the code of the returned browser and returns the verified claims.
   * @param returned address to which the provider sent the browser
   * @throws IDENTITY_REFUSED if the person or the provider refused; SIGN_IN_UNAVAILABLE
   */
  async finish(returned: URL, { state, nonce, verifier }: Attempt): Promise<IdentityClaims> {
    const provider = await this.#discovered();
    try {
      const tokens = await openid.authorizationCodeGrant(provider, returned, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('The provider sent no ID token.');
      // Providers may leave the address out of the ID token.
      const more =
        claims.email === undefined ? await openid.fetchUserInfo(provider, tokens.access_token, claims.sub) : claims;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        ...(typeof more.email === 'string' && { email: more.email }),
        isEmailVerified: more.email_verified === true,
      };
    } catch (error) {
      this.#logger.warn({ reason: reasonOf(error) }, 'sign-in with the OpenID provider failed');
      throw new CairnError('IDENTITY_REFUSED', 'The sign-in with the provider was refused or has expired.', {
        hint: 'Try again.',
        details: { reason: 'refused' },
      });
    }
  }

  /** Reads the document of the provider once; after a failure again. */
  async #discovered(): Promise<openid.Configuration> {
    this.#provider ??= this.#discover();
    return await this.#provider;
  }

  async #discover(): Promise<openid.Configuration> {
    try {
      const provider = await openid.discovery(this.#issuer, this.#clientId, this.#clientSecret, undefined, {
        timeout: singleSignOnLimits.requestSeconds,
        // A provider on this machine may have no certificate.
        ...(isLoopback(this.#issuer) && { execute: [openid.allowInsecureRequests] }),
      });
      provider.timeout = singleSignOnLimits.requestSeconds;
      return provider;
    } catch (error) {
      setTimeout(() => {
        this.#provider = undefined;
      }, singleSignOnLimits.retryMs).unref();
      this.#logger.warn({ issuer: this.#issuer.href, reason: reasonOf(error) }, 'the OpenID provider cannot be used');
      throw new CairnError('SIGN_IN_UNAVAILABLE', 'The provider of sign-in cannot be reached.', {
        hint: 'Try again in a moment.',
        details: { reason: 'unavailable' },
      });
    }
  }
}

/** Returns the provider of the settings, undefined without one. @throws SETTINGS_INVALID */
export function openSingleSignOn(settings: ConsoleSettings, logger: Pick<Logger, 'warn'>): SingleSignOn | undefined {
  const {
    CAIRN_OIDC_ISSUER: issuer,
    CAIRN_OIDC_CLIENT_ID: clientId,
    CAIRN_OIDC_CLIENT_SECRET: clientSecret,
  } = settings;
  const values = [issuer, clientId, clientSecret];
  if (values.every((value) => value === undefined)) return undefined;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined)
    throw new SettingsError([
      {
        key: 'CAIRN_OIDC_ISSUER',
        problem: 'is set alone; it works with CAIRN_OIDC_CLIENT_ID and CAIRN_OIDC_CLIENT_SECRET only',
      },
    ]);
  if (new URL(issuer).protocol !== 'https:' && !isLoopback(new URL(issuer)))
    throw new SettingsError([{ key: 'CAIRN_OIDC_ISSUER', problem: 'must be an https URL, except on this machine' }]);
  return new SingleSignOn({ name: settings.CAIRN_OIDC_NAME, issuer, clientId, clientSecret, logger });
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Text of an error without the response, which may have tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, error: named } = error as { readonly code?: unknown; readonly error?: unknown };
  return [error.message, code, named]
    .filter((part) => typeof part === 'string')
    .join(': ')
    .slice(0, 300);
}
