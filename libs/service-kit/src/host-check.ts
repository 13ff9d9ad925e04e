import { isIP } from 'node:net';

/**
 * Reports whether a `Host` header is safe against DNS rebinding, which needs a name that an attacker controls. IP
 * addresses, names without a dot and `localhost` are safe, and so are the names that the operator lists.
 */
export function isTrustedHost(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true; // HTTP/1.0: no browser.
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) return true;
  return !name.includes('.') || name.endsWith('.localhost') || names.has(name);
}

/** Names of the settings, and the host of the console's public address. */
export function trustedHosts({
  CAIRN_HOSTS,
  CAIRN_PUBLIC_CONSOLE_URL,
}: {
  readonly CAIRN_HOSTS?: string | undefined;
  readonly CAIRN_PUBLIC_CONSOLE_URL?: string | undefined;
}): ReadonlySet<string> {
  const names = CAIRN_HOSTS?.split(',') ?? [];
  if (CAIRN_PUBLIC_CONSOLE_URL !== undefined) names.push(new URL(CAIRN_PUBLIC_CONSOLE_URL).hostname);
  return new Set(names.map((name) => name.toLowerCase()));
}
