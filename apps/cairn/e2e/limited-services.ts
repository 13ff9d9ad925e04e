import { setTimeout as delay } from 'node:timers/promises';
import { Auth } from '@cairn/auth';
import { type Plan, type PlanStore, parsePlan } from '@cairn/metering';
import type { RunningService } from '@cairn/service-kit/testing';
import type { Stores } from '@cairn/stores';
import { afterAll, beforeAll } from '@jest/globals';
import { Deployment } from './deployment.ts';

// Services that share the limits of accounts. Importing this file starts them once for all suites of a test file.

export interface Customer {
  /** Name of the account, different in each attempt of a test. */
  readonly account: string;
  /** Id of the key. */
  readonly id: string;
  readonly secret: string;
}

const deployment = new Deployment();
export const { cairn } = deployment;
/** Two gateways and a storage process over one home, or three of each on engines. */
export let gateways: readonly [RunningService, RunningService, ...RunningService[]];
export let storages: readonly RunningService[];
export let stores: Stores;
export let auth: Auth;
/** Ids and secrets of all keys. */
export const keyTexts: string[] = [];
const plans: Plan[] = [];
let planStore: PlanStore | undefined;

/** Declares a plan. It exists before the services start, since a running process reads new plans some time later. */
export function declarePlan(name: string, limits: Omit<Partial<Plan>, 'name'> = {}): string {
  plans.push(parsePlan({ name, ...limits }));
  return name;
}

beforeAll(async () => {
  await deployment.open();
  stores = deployment.stores();
  auth = new Auth({ store: await stores.accounts() });
  planStore = await stores.plans();
  for (const plan of plans) await planStore.put(plan);
  if (deployment.isDistributed) {
    gateways = await Promise.all([startGateway(), startGateway(), startGateway()]);
    storages = await Promise.all([startStorage(), startStorage(), startStorage()]);
    return;
  }
  // The first gateway imports the sample network; the second opens it.
  const [first, storage] = await Promise.all([startGateway(), startStorage()]);
  gateways = [first, await startGateway()];
  storages = [storage];
});
afterAll(async () => {
  await deployment.stop();
  await planStore?.close();
  await auth?.close();
  await deployment.remove();
});

/** Starts a gateway. */
export function startGateway(): Promise<RunningService> {
  return deployment.start('rpc-gateway', { RPC_GATEWAY_ADMIN_PORT: '0' });
}

function startStorage(): Promise<RunningService> {
  return deployment.start('storage-api', { STORAGE_API_ADMIN_PORT: '0' });
}

let customers = 0;
/** Creates an account with a declared plan, a card and a key. */
export async function customer(plan: string): Promise<Customer> {
  const account = `${plan}-${++customers}`;
  await auth.createAccount({ name: account, plan });
  await auth.attachCard(account, { brand: 'visa', last4: '4242' });
  const { key, secret } = await auth.createKey(account);
  keyTexts.push(key.id, secret);
  return { account, id: key.id, secret };
}

/** Sends a body to a gateway. A string is sent as it is. */
export function rpc(service: RunningService, { id }: Customer, body: unknown): Promise<Response> {
  return fetch(`${service.url}/v3/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export interface RpcAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

export const request = (id = 1, method = 'eth_chainId') => ({ jsonrpc: '2.0', id, method, params: [] as unknown[] });

let nextStorage = 0;
/** Sends a command to the next storage process. */
export function kubo({ id, secret }: Customer, command: string, body?: FormData): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const storage = storages[nextStorage++ % storages.length];
  return fetch(`${storage?.url}/api/v0/${command}`, {
    method: 'POST',
    headers: { authorization },
    ...(body && { body }),
  });
}

/** A form with a file of this length. */
export function file(bytes: number): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes).fill(7)]), 'seven.bin');
  return form;
}

/** Reads a state until the condition holds, at most for a time, and returns the last one read. */
export async function readUntil<T>(
  read: () => Promise<T>,
  isReached: (state: T) => boolean,
  patienceMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  let state = await read();
  while (!isReached(state) && performance.now() < deadline) {
    await delay(50);
    state = await read();
  }
  return state;
}
