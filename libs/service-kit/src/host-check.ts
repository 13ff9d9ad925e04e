import { isIP } from 'node:net';

/**
 * Whether a `Host` header names this machine in a way that no stranger's page can bring about. DNS rebinding works with a
 * name that its owner points somewhere else: addresses, names without a dot and `localhost` are beyond that, and so are
 * the names that the operator lists.
 */
export function isTrustedHost(host: string | undefined, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true; // HTTP/1.0: no browser.
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) return true;
  return !name.includes('.') || name.endsWith('.localhost') || names.has(name);
}

/** The names that the settings list, and those of the addresses that customers are shown. */
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
