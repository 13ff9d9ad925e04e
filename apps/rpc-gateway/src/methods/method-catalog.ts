import { type AnyMethod, type MethodGroup, openRpcDocument, RawJson } from '@cairn/jsonrpc-core';
import manifest from '../../package.json' with { type: 'json' };
import type { RequestContext } from '../request-context.ts';
import type { TransactionSender } from '../sending/transaction-sender.ts';
import type { FilterRegistry } from '../subscriptions/filter-registry.ts';
import { blockMethods } from './blocks/methods.ts';
import { PendingBlocks } from './blocks/pending-blocks.ts';
import { chainMethods, poolMethods } from './chain/methods.ts';
import { debugMethods } from './debug/methods.ts';
import { define } from './define.ts';
import type { CallExecutor } from './execution/call-executor.ts';
import { executionMethods } from './execution/methods.ts';
import { feeMethods } from './fees/methods.ts';
import { logMethods } from './logs/methods.ts';
import { stateMethods } from './state/methods.ts';
import { traceMethods } from './trace/methods.ts';
import { transactionMethods } from './transactions/methods.ts';

/** Services that methods are built with. */
export interface MethodDependencies {
  readonly executor: CallExecutor;
  readonly filters: FilterRegistry;
  readonly sender: TransactionSender;
}

/** Every method of the gateway, built with the services that it uses. */
export class MethodCatalog {
  /** Methods under the headings of their documentation. */
  readonly groups: readonly MethodGroup<RequestContext>[];
  readonly methods: readonly AnyMethod<RequestContext>[];
  #openRpc: RawJson | undefined;

  constructor({ executor, filters, sender }: MethodDependencies) {
    this.groups = [
      { title: 'Blocks', methods: blockMethods(new PendingBlocks(executor)) },
      { title: 'Transactions and receipts', methods: transactionMethods(sender) },
      { title: 'Logs and subscriptions', methods: logMethods(filters) },
      { title: 'State', methods: stateMethods },
      { title: 'Execution', methods: executionMethods(executor) },
      { title: 'Fees', methods: feeMethods },
      { title: 'Chain', methods: [...chainMethods, this.#rpcModules(), this.#rpcDiscover()] },
      { title: 'Pending transactions', methods: poolMethods },
      { title: 'Debugging', methods: debugMethods(executor) },
      { title: 'Traces', methods: traceMethods(executor) },
    ];
    this.methods = this.groups.flatMap((group) => group.methods);
  }

  /** The methods as an OpenRPC document, serialized once. */
  get openRpc(): RawJson {
    this.#openRpc ??= new RawJson(
      JSON.stringify(openRpcDocument(this.methods, { title: 'Cairn', version: manifest.version })),
    );
    return this.#openRpc;
  }

  #rpcDiscover(): AnyMethod<RequestContext> {
    return define({
      name: 'rpc.discover',
      summary: 'Describes the methods of this gateway as an OpenRPC document.',
      params: [],
      result: 'An OpenRPC document (https://spec.open-rpc.org).',
      reveals: 'nothing',
      handle: () => this.openRpc,
    });
  }

  #rpcModules(): AnyMethod<RequestContext> {
    return define({
      name: 'rpc_modules',
      summary: 'Lists the method namespaces of this gateway with their versions.',
      params: [],
      result: 'An object of versions by namespace.',
      reveals: 'nothing',
      handle: () => this.#namespaces(),
    });
  }

  /** Namespaces in alphabetical order, as geth lists them. */
  #namespaces(): Readonly<Record<string, string>> {
    const names = this.methods.flatMap(({ name }) => /^([a-z0-9]+)_/.exec(name)?.[1] ?? []);
    return Object.fromEntries([...new Set(names)].sort().map((namespace) => [namespace, '1.0']));
  }
}
