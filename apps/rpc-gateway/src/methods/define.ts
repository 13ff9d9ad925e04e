import type { KeyGrant } from '@cairn/auth';
import {
  type AnyMethod,
  defineMethod,
  type MethodDefinition,
  type ParamDefinition,
  type ParamValues,
} from '@cairn/jsonrpc-core';
import type { RequestContext } from '../request-context.ts';
import { handleOverUpstreams, inAccountLane } from './handle-over-upstreams.ts';
import { type Reveals, revealKindOf, revealKinds } from './reveals.ts';

/** A method definition that declares the data that results can reveal. */
type Declared<Params extends readonly ParamDefinition[]> = MethodDefinition<RequestContext, Params> & {
  /** Determines whether keys that are limited to contracts may call the method. */
  readonly reveals: Reveals<ParamValues<Params>>;
  /** Scope that the key needs. A method with one has effects, so it runs once: it calls `chain.read` itself. */
  readonly grant?: KeyGrant;
};

const declared = new WeakMap<AnyMethod<RequestContext>, Reveals<never>>();
const grants = new WeakMap<AnyMethod<RequestContext>, KeyGrant>();

/** Defines a method of the gateway. */
export function define<const Params extends readonly ParamDefinition[]>({
  reveals,
  grant,
  ...definition
}: Declared<Params>): AnyMethod<RequestContext> {
  const kind = revealKindOf(reveals);
  const note = typeof reveals === 'object' && reveals.note !== undefined ? reveals.note : revealKinds[kind];
  const method = defineMethod<RequestContext>()<Params>({
    ...definition,
    handle(params, context) {
      if (context.chain.upstreams === undefined) return definition.handle(params, context);
      return inAccountLane(definition.name, context, () =>
        grant === undefined
          ? handleOverUpstreams(context, (scoped) => definition.handle(params, scoped))
          : definition.handle(params, context),
      );
    },
    notes: [
      ...(grant === undefined ? [] : [`Keys need the scope \`${grant}\`, which no key has by default.`]),
      `Keys that are limited to contracts: ${note}`,
    ],
    extensions: { 'x-contracts': kind, ...(grant !== undefined && { 'x-scope': grant }) },
  });
  declared.set(method, reveals);
  if (grant !== undefined) grants.set(method, grant);
  return method;
}

/** Scope that a key needs for a method. */
export function grantOf(method: AnyMethod<RequestContext>): KeyGrant | undefined {
  return grants.get(method);
}

/** The declaration of a method. A method without one counts as `anything` and is refused. */
export function revealsOf(method: AnyMethod<RequestContext>): Reveals<never> {
  return declared.get(method) ?? 'anything';
}
