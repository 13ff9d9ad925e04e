/** Names of hosts in multiaddrs: IP addresses and DNS names. */
const hostParts: ReadonlySet<string> = new Set(['ip4', 'ip6', 'dns', 'dns4', 'dns6']);
const hostPattern = /^[0-9A-Za-z.:_-]{1,253}$/;
const portPattern = /^[1-9]\d{0,4}$/;

/**
 * Returns the URL of an HTTP gateway from a multiaddr, such as `/dns4/gateway.example/tcp/443/https` or
 * `/ip4/203.0.113.5/tcp/80/http`; undefined for a multiaddr of another kind.
 */
export function urlOfMultiaddr(address: string): string | undefined {
  const [empty, kind = '', host = '', tcp, port = '', ...rest] = address.split('/');
  if (empty !== '' || !hostParts.has(kind) || !hostPattern.test(host) || tcp !== 'tcp' || !portPattern.test(port))
    return undefined;
  const scheme = schemeOf(rest);
  if (scheme === undefined) return undefined;
  const url = `${scheme}://${kind === 'ip6' ? `[${host}]` : host}:${port}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function schemeOf(parts: readonly string[]): string | undefined {
  const named = parts.join('/').replace(/\/?p2p\/[0-9A-Za-z]+$/, '');
  if (named === 'http') return 'http';
  return named === 'https' || named === 'tls/http' ? 'https' : undefined;
}
