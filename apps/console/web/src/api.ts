/** Error answer of the API. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;

  constructor(
    status: number,
    { code, message, hint, field }: Partial<Record<'code' | 'message' | 'hint' | 'field', string>>,
  ) {
    super([message ?? `The console answered ${status}.`, hint].filter(Boolean).join(' '));
    this.status = status;
    this.code = code ?? 'UNKNOWN';
    this.field = field;
  }
}

/** Header of every change. Pages of other origins cannot send it. */
export const guardHeaders = { 'x-cairn-console': '1' } as const;

/** Sends a request to the API of the console. @throws ApiError */
export async function api<T>(
  path: string,
  { method = 'GET', body }: { method?: string; body?: unknown } = {},
): Promise<T> {
  const response = await fetch(`/api/${path}`, {
    method,
    headers: { ...guardHeaders, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(503, { message: 'The console is not reachable.', hint: 'Check your connection.' });
  });
  const answer = (await response.json().catch(() => ({}))) as { readonly error?: object };
  if (!response.ok) throw new ApiError(response.status, answer.error ?? {});
  return answer as T;
}

/** Sends a JSON-RPC call to a network. Resolves with the answer, also for errors of the method. */
export function rpc<T>(network: string, method: string, params: readonly unknown[]): Promise<RpcAnswer<T>> {
  return api(`networks/${encodeURIComponent(network)}/rpc`, {
    method: 'POST',
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
}

export interface RpcAnswer<T> {
  readonly result?: T;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Plan {
  readonly name: string;
  readonly title: string;
  readonly requestsPerSecond?: number;
  readonly burst?: number;
  readonly creditsPerDay?: number;
  readonly storedBytes?: number;
  readonly bytesInPerDay?: number;
  readonly bytesOutPerDay?: number;
  readonly concurrentRequests?: number;
  readonly webSockets?: number;
  readonly methods?: readonly string[];
  /** Smallest unit of the currency. */
  readonly pricePerMonth?: number;
  readonly currency?: string;
  readonly stripePrice?: string;
  readonly isOffered?: boolean;
}

export interface Card {
  readonly brand: string;
  readonly last4: string;
  readonly attachedAt: number;
}

export interface Me {
  readonly member: {
    readonly email: string;
    readonly role: 'owner' | 'developer' | 'billing' | 'read-only' | 'operator';
    readonly hasTotp: boolean;
    readonly hasVerifiedEmail: boolean;
    /** Rights within the account. */
    readonly permissions: readonly ('account' | 'read' | 'develop' | 'bill' | 'manage')[];
  };
  readonly account: {
    readonly id: string;
    readonly name: string;
    readonly plan: string;
    readonly status: string;
    readonly card?: Card;
    readonly quotaBytes?: number;
    readonly servesPeers?: boolean;
  };
  readonly plan?: Plan;
  readonly services: { readonly storageUrl: string; readonly gatewayUrl: string; readonly ipfsGatewayUrl: string };
  readonly networks: readonly { readonly name: string; readonly hosts: readonly string[] }[];
  readonly billing: { readonly provider: 'local' | 'stripe' };
  /** Present while an operator views the account of a customer. */
  readonly view?: { readonly endsAt: number };
}

/** State of the services and networks. */
export interface ServiceStatus {
  readonly services: readonly { readonly name: string; readonly isReady: boolean; readonly isDeployed: boolean }[];
  readonly networks: readonly {
    readonly name: string;
    readonly isServed: boolean;
    readonly head?: number;
    readonly lagSeconds?: number;
  }[];
}

export interface KeyPolicy {
  readonly storage?: readonly string[];
  readonly networks?: readonly string[];
  readonly methods?: readonly string[];
  readonly contracts?: readonly string[];
  readonly origins?: readonly string[];
  readonly addresses?: readonly string[];
  readonly grants?: readonly string[];
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly reference: string;
  readonly createdAt: number;
  readonly revokedAt?: number;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  readonly oldSecretEndsAt?: number;
  readonly policy?: KeyPolicy;
}

export interface IssuedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

interface Sums {
  readonly requests: number;
  readonly errors: number;
  readonly limited: number;
  readonly credits: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly gas: number;
}

export interface UsageGroup extends Sums {
  readonly name: string;
  readonly title?: string;
  readonly latencyMs: { readonly p50?: number | null; readonly p99?: number | null; readonly mean: number };
}

/** One request of the log. */
export interface LoggedRequest {
  readonly at: number;
  readonly service: string;
  readonly operation: string;
  readonly network: string;
  readonly key: string;
  readonly keyName: string;
  readonly outcome: 'ok' | 'error' | 'limited';
  readonly error?: string;
  readonly limit?: string;
  readonly durationMs: number;
  readonly credits: number;
  readonly requestId: string;
  readonly origin?: string;
  readonly skipped?: number;
}

/** Page of the request log, with groups of the whole log. */
export interface RequestPage {
  readonly requests: readonly LoggedRequest[];
  readonly matching: number;
  readonly logged: number;
  readonly kept: number;
  readonly refusals: readonly {
    readonly limit: string;
    readonly operation: string;
    readonly count: number;
    readonly lastAt: number;
  }[];
  readonly origins: readonly {
    readonly origin: string;
    readonly requests: number;
    readonly errors: number;
    readonly limited: number;
  }[];
}

export interface Usage {
  /** Milliseconds between two points. */
  readonly stepMs: number;
  readonly total: Sums;
  readonly points: readonly (Sums & { readonly at: number; readonly storedBytes: number })[];
  readonly operations: readonly UsageGroup[];
  readonly keys: readonly UsageGroup[];
  readonly networks: readonly UsageGroup[];
  readonly today: {
    readonly requests: number;
    readonly credits: number;
    readonly bytesIn: number;
    readonly bytesOut: number;
    readonly limited: number;
  };
  readonly held: { readonly pins: number; readonly blocks: number; readonly bytes: number };
}
