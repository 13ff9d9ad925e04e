import { type AnyMethod, type MethodGroup, openRpcDocument, RawJson } from '@cairn/jsonrpc-core';
import manifest from '../../package.json' with { type: 'json' };
import type { RequestContext } from '../request-context.ts';
import { blockMethods } from './blocks/methods.ts';
import { chainMethods, poolMethods } from './chain/methods.ts';
import { debugMethods } from './debug/methods.ts';
import { define } from './define.ts';
import { executionMethods } from './execution/methods.ts';
import { feeMethods } from './fees/methods.ts';
import { logMethods } from './logs/methods.ts';
import { stateMethods } from './state/methods.ts';
import { transactionMethods } from './transactions/methods.ts';

const rpcDiscover = define({
  name: 'rpc.discover',
  summary: 'What this gateway offers, as an OpenRPC document.',
  params: [],
  result: 'An OpenRPC document (https://spec.open-rpc.org).',
  reveals: 'nothing',
  handle: () => openRpcJson(),
});

const rpcModules = define({
  name: 'rpc_modules',
  summary: 'The namespaces of the methods of this gateway, each with its version.',
  params: [],
  result: 'An object of versions by namespace.',
  reveals: 'nothing',
  handle: () => modules(),
});

/** Namespaces as geth lists them, in alphabetical order. */
function modules(): Readonly<Record<string, string>> {
  const namespaces = methods.flatMap(({ name }) => /^([a-z0-9]+)_/.exec(name)?.[1] ?? []);
  return Object.fromEntries([...new Set(namespaces)].sort().map((namespace) => [namespace, '1.0']));
}

let discovered: RawJson | undefined;

/** The methods as an OpenRPC document, made once. */
export function openRpcJson(): RawJson {
  discovered ??= new RawJson(JSON.stringify(openRpcDocument(methods, { title: 'Cairn', version: manifest.version })));
  return discovered;
}

/** The methods of the gateway under the headings of their documentation. */
export const methodGroups: readonly MethodGroup<RequestContext>[] = [
  { title: 'Blocks', methods: blockMethods },
  { title: 'Transactions and receipts', methods: transactionMethods },
  { title: 'Logs and subscriptions', methods: logMethods },
  { title: 'State', methods: stateMethods },
  { title: 'Execution', methods: executionMethods },
  { title: 'Fees', methods: feeMethods },
  { title: 'Chain', methods: [...chainMethods, rpcModules, rpcDiscover] },
  { title: 'Transactions that wait', methods: poolMethods },
  { title: 'Debugging', methods: debugMethods },
];

/** Every method of the gateway. */
export const methods: readonly AnyMethod<RequestContext>[] = methodGroups.flatMap((group) => group.methods);
