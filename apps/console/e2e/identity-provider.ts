import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** OpenID provider on loopback, which signs in everybody under the name that they type. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Names whose e-mail address is not verified. */
  readonly unverified: Set<string>;
  /** Registers the address to which the provider may return. */
  trust(redirectUri: string): void;
  stop(): Promise<void>;
}

/** Starts the certified server of the package oidc-provider. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { info, warn } = console;
  // It recommends settings for production at each start.
  console.info = () => undefined;
  console.warn = () => undefined;
  const { default: Provider } = await import('oidc-provider');
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const unverified = new Set<string>();
  const redirectUris = new Set<string>();
  const clientId = 'cairn-console';
  const clientSecret = 'secret-of-the-console-at-the-provider';
  const provider = new Provider(issuer, {
    clients: [
      { client_id: clientId, client_secret: clientSecret, redirect_uris: ['http://127.0.0.1/api/oidc/callback'] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    // The address is only in the answer of the userinfo endpoint, as at many providers.
    conformIdTokenClaims: true,
    pkce: { required: () => true },
    findAccount: (_, name) => ({
      accountId: name,
      claims: async () => ({ sub: name, email: `${name}@example.org`, email_verified: !unverified.has(name) }),
    }),
    cookies: { keys: ['key of a test'] },
  });
  // The port of the console is known only after the provider has started.
  const isTrusted = provider.Client.prototype.redirectUriAllowed;
  provider.Client.prototype.redirectUriAllowed = function allowed(uri: string) {
    return redirectUris.has(uri) || isTrusted.call(this, uri);
  };
  server.on('request', provider.callback());
  return {
    issuer,
    clientId,
    clientSecret,
    unverified,
    trust: (uri) => void redirectUris.add(uri),
    async stop() {
      Object.assign(console, { info, warn });
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
