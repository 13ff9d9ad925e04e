import { requireContracts, requireMethod } from '@cairn/auth';
import type { CallRequest, Simulation } from '@cairn/evm-executor';
import type { AnyMethod } from '@cairn/jsonrpc-core';
import { requirePlanMethod } from '@cairn/metering';
import type { LogFilter } from './methods/logs/log-filter.ts';
import type { RequestContext } from './request-context.ts';

type Named = readonly (string | undefined)[];

const ofCall = ([call]: readonly unknown[]): Named => [(call as CallRequest).to];
const ofAddress = ([address]: readonly unknown[]): Named => [address as string];
const ofFilter = (filter: LogFilter | undefined): Named =>
  filter === undefined || filter.addresses.length === 0 ? [undefined] : filter.addresses;

/** The contracts that a request reads or calls; `undefined` among them where it leaves that open. */
const contractsOf: Readonly<Record<string, (params: readonly unknown[]) => Named>> = {
  eth_call: ofCall,
  eth_estimateGas: ofCall,
  eth_createAccessList: ofCall,
  debug_traceCall: ofCall,
  eth_simulateV1: ([simulation]) => (simulation as Simulation).blocks.flatMap(({ calls }) => calls.map(({ to }) => to)),
  eth_getCode: ofAddress,
  eth_getStorageAt: ofAddress,
  eth_getProof: ofAddress,
  eth_getStorageValues: ([wanted]) => (wanted as readonly (readonly [string])[]).map(([address]) => address),
  eth_getLogs: ([filter]) => ofFilter(filter as LogFilter),
  eth_subscribe: ([kind, filter]) => (kind === 'logs' ? ofFilter(filter as LogFilter | undefined) : []),
};

/** Holds a request to what its plan and its key are limited to. @throws METHOD_NOT_IN_PLAN, KEY_SCOPE_MISSING */
export function authorize(
  { name }: AnyMethod<RequestContext>,
  params: readonly unknown[],
  { principal, meter }: RequestContext,
): void {
  const { policy } = principal.key;
  requirePlanMethod(meter.limits.plan, name);
  requireMethod(policy, name);
  if (policy.contracts !== undefined) requireContracts(policy, contractsOf[name]?.(params) ?? []);
}
