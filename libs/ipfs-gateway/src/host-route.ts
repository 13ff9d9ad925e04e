import { cidOf } from '@cairn/ipns';
import { domainOfLabel } from './dnslink-label.ts';
import { doubledNamespaceRedirect } from './doubled-namespace.ts';
import { GatewayError } from './errors.ts';
import { type ContentOrigin, field, redirect } from './exchange.ts';
import type { GatewayOptions, GatewayRequest, GatewayResponse, SubdomainHost } from './gateway-types.ts';
import { escapePath, type RequestTarget } from './request-target.ts';
import { fittingLabel, isKeyCid, subdomainUrl } from './subdomain-url.ts';

/** Result of looking at the host of a request: content, or a response. */
export type HostRoute = { readonly origin: ContentOrigin } | { readonly response: GatewayResponse };

interface Routing {
  readonly request: GatewayRequest;
  readonly target: RequestTarget;
  readonly host: string;
  readonly options: GatewayOptions;
}

/**
 * Finds the content of a request by its host, then by its path (https://specs.ipfs.tech/http-gateways/subdomain-gateway/,
 * https://specs.ipfs.tech/http-gateways/dnslink-gateway/). Returns undefined for a path that is no content.
 * @throws GatewayError 400, 404
 */
export async function routeByHost(
  request: GatewayRequest,
  target: RequestTarget,
  options: GatewayOptions,
): Promise<HostRoute | undefined> {
  const host = field(request, 'x-forwarded-host') ?? target.authority ?? request.host;
  const routing = { request, target, host, options };
  const hosts = options.subdomainHosts ?? [];
  const exact = hosts.find((known) => isHost(host, known.host));
  if (exact !== undefined) return await routeGatewayHost(routing, exact);
  const subdomain = hosts.map((known) => splitSubdomain(host, known)).find((found) => found !== undefined);
  if (subdomain !== undefined) return await routeSubdomain(routing, subdomain);
  const domain = withoutPort(host).toLowerCase();
  if (await hasDnslink(options, domain)) return atHost(routing, 'ipns', domain);
  return pathOrigin(target);
}

/** Reads /ipfs/<root>/names and /ipns/<root>/names. */
function pathOrigin({ path }: RequestTarget): { readonly origin: ContentOrigin } | undefined {
  const [, namespace, root = '', below = ''] = /^\/(ip[fn]s)(?:\/([^/]*)(.*))?$/s.exec(path) ?? [];
  if (namespace !== 'ipfs' && namespace !== 'ipns') return undefined;
  return { origin: { namespace, root, below, urlPath: path } };
}

/** Redirects content paths of a subdomain gateway to their subdomain. Escapes in a path do not keep it on the shared origin. */
async function routeGatewayHost(routing: Routing, known: SubdomainHost): Promise<HostRoute | undefined> {
  const { request, target, host, options } = routing;
  const path = pathOrigin(target);
  if (path === undefined) {
    const domain = withoutPort(host).toLowerCase();
    if (await hasDnslink(options, domain)) return atHost(routing, 'ipns', domain);
    throw new GatewayError(404, '404 page not found');
  }
  const { namespace, root } = path.origin;
  if (root === '') return path;
  const doubled = doubledNamespaceRedirect(path.origin, target.search);
  if (doubled !== undefined) return { response: doubled };
  const isHttps = isHttpsRequest(request);
  const isDnslink = namespace === 'ipns' && (await hasDnslink(options, root.toLowerCase()));
  const inlinesRoot = isDnslink && (isHttps || known.inlinesDnslink === true);
  const rest = `${rawBelow(target, path.origin)}${target.search}`;
  return { response: redirect(301, subdomainUrl({ isHttps, host, namespace, root, rest, inlinesRoot })) };
}

/** Path below the root, as sent. A path whose namespace or root is escaped is written anew. */
function rawBelow({ rawPath }: RequestTarget, { namespace, root, below }: ContentOrigin): string {
  const start = `/${namespace}/${root}`;
  const isPlain = rawPath === start || rawPath.startsWith(`${start}/`);
  return isPlain ? rawPath.slice(start.length) : escapePath(below);
}

interface Subdomain {
  readonly known: SubdomainHost;
  /** Host of the gateway as sent, with its port. */
  readonly gateway: string;
  readonly namespace: 'ipfs' | 'ipns';
  readonly root: string;
}

function splitSubdomain(host: string, known: SubdomainHost): Subdomain | undefined {
  const [, root, namespace, gateway] = /^(.+)\.(ip[fn]s)\.([^.].*)$/i.exec(host) ?? [];
  if (root === undefined || namespace === undefined || gateway === undefined) return undefined;
  if (!isHost(gateway, known.host)) return undefined;
  return { known, gateway, namespace: namespace.toLowerCase() === 'ipns' ? 'ipns' : 'ipfs', root };
}

async function routeSubdomain(routing: Routing, { gateway, namespace, root }: Subdomain): Promise<HostRoute> {
  const { request, target } = routing;
  const cid = cidOf(root);
  if (cid !== undefined) {
    const label = fittingLabel(cid, root);
    const isCanonical = label === root && (namespace === 'ipfs' || isKeyCid(cid));
    if (isCanonical) return atHost(routing, namespace, root, gateway);
    const rest = `${target.rawPath}${target.search}`;
    const address = {
      isHttps: isHttpsRequest(request),
      host: gateway,
      namespace,
      root,
      rest,
      inlinesRoot: false,
    } as const;
    return { response: redirect(301, subdomainUrl(address)) };
  }
  if (namespace === 'ipns' && !root.includes('.') && root.includes('-')) {
    return atHost(routing, 'ipns', domainOfLabel(root.toLowerCase()), gateway);
  }
  return atHost(routing, namespace, root, gateway);
}

function atHost({ host, target }: Routing, namespace: 'ipfs' | 'ipns', root: string, gateway?: string): HostRoute {
  const below = target.path;
  return { origin: { host, namespace, root, below, urlPath: below, ...(gateway !== undefined && { gateway }) } };
}

/** Reports whether a domain has a DNSLink. Addresses and single labels have none. */
async function hasDnslink({ names }: GatewayOptions, domain: string): Promise<boolean> {
  const isDomain = domain.includes('.') && !/^[\d.]+$/.test(domain) && /^[a-z0-9_.-]{1,253}$/.test(domain);
  return isDomain && (await names?.dnslink?.(domain)) !== undefined;
}

function isHost(host: string, known: string): boolean {
  const lower = host.toLowerCase();
  return lower === known.toLowerCase() || withoutPort(lower) === known.toLowerCase();
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '');
}

function isHttpsRequest(request: GatewayRequest): boolean {
  const forwarded = field(request, 'x-forwarded-proto');
  return forwarded === undefined ? request.isHttps === true : forwarded.toLowerCase() === 'https';
}
