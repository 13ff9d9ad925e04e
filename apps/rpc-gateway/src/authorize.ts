import { type KeyPolicy, requireAllContracts, requireGrant, requireMethod } from '@cairn/auth';
import type { AccountOverride } from '@cairn/evm-executor';
import type { AnyMethod } from '@cairn/jsonrpc-core';
import { requirePlanMethod } from '@cairn/metering';
import { grantOf, revealsOf } from './methods/define.ts';
import { contractsOfTopic, requireNamed } from './methods/reveals.ts';
import type { RequestContext } from './request-context.ts';
import type { Topic } from './subscriptions/topic.ts';

/** Checks that plan and key of a request allow the method and the contracts. @throws METHOD_NOT_IN_PLAN, KEY_SCOPE_MISSING */
export function authorize(
  method: AnyMethod<RequestContext>,
  params: readonly unknown[],
  { principal, meter }: RequestContext,
): void {
  const { policy } = principal.key;
  requirePlanMethod(meter.limits.plan, method.name);
  requireMethod(policy, method.name);
  const grant = grantOf(method);
  if (grant !== undefined) requireGrant(policy, grant);
  if (policy.contracts !== undefined) requireRevealed(policy, method, params);
}

/** Checks that the result can show contracts of the key only. @throws KEY_SCOPE_MISSING */
export function requireRevealed(
  policy: KeyPolicy,
  method: AnyMethod<RequestContext>,
  params: readonly unknown[],
): void {
  const reveals = revealsOf(method);
  if (reveals === 'anything') requireAllContracts(policy, `${method.name}, which can show any contract`);
  // The handlers of the other kinds check the data that they read.
  if (typeof reveals === 'string') return;
  // The definition of this method has parsed these parameters.
  requireNamed(policy, method.name, reveals.contracts(params as never));
  for (const overrides of reveals.overrides?.(params as never) ?? [])
    for (const override of overrides?.values() ?? [])
      if (changesContract(override)) requireAllContracts(policy, 'overrides of code, storage or precompiles');
}

function changesContract({ code, state, stateDiff, movePrecompileToAddress }: AccountOverride): boolean {
  return [code, state, stateDiff, movePrecompileToAddress].some((field) => field !== undefined);
}

/** Checks that the key still allows a subscription, since its limits may have changed. @throws KEY_SCOPE_MISSING */
export function authorizeTopic(policy: KeyPolicy, topic: Topic): void {
  requireMethod(policy, 'eth_subscribe');
  if (policy.contracts !== undefined) requireNamed(policy, 'eth_subscribe', contractsOfTopic(topic));
}
