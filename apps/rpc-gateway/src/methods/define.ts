import {
  type AnyMethod,
  defineMethod,
  type MethodDefinition,
  type ParamDefinition,
  type ParamValues,
} from '@cairn/jsonrpc-core';
import type { RequestContext } from '../request-context.ts';
import { handleOverUpstreams } from './handle-over-upstreams.ts';
import { type Reveals, revealKindOf, revealKinds } from './reveals.ts';

/** A method definition that declares the data that results can reveal. */
type Declared<Params extends readonly ParamDefinition[]> = MethodDefinition<RequestContext, Params> & {
  /** Determines whether keys that are limited to contracts may call the method. */
  readonly reveals: Reveals<ParamValues<Params>>;
};

const declared = new WeakMap<AnyMethod<RequestContext>, Reveals<never>>();

/** Defines a method of the gateway. */
export function define<const Params extends readonly ParamDefinition[]>({
  reveals,
  ...definition
}: Declared<Params>): AnyMethod<RequestContext> {
  const kind = revealKindOf(reveals);
  const note = typeof reveals === 'object' && reveals.note !== undefined ? reveals.note : revealKinds[kind];
  const method = defineMethod<RequestContext>()<Params>({
    ...definition,
    handle(params, context) {
      if (context.chain.upstreams === undefined) return definition.handle(params, context);
      return handleOverUpstreams(context, (scoped) => definition.handle(params, scoped));
    },
    notes: [`Keys that are limited to contracts: ${note}`],
    extensions: { 'x-contracts': kind },
  });
  declared.set(method, reveals);
  return method;
}

/** The declaration of a method. A method without one counts as `anything` and is refused. */
export function revealsOf(method: AnyMethod<RequestContext>): Reveals<never> {
  return declared.get(method) ?? 'anything';
}
