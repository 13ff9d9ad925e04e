import {
  bytesFromHex,
  cannotUnmarshal,
  type Hex,
  hexFromBytes,
  InvalidValueError,
  type Json,
  jsonKind,
  parseData,
  quantity,
  type Transaction,
  type UnsignedFields,
  unsignedTransaction,
} from '@cairn/block-model';
import { blockEnvironment, type CallRequest, parseCallRequest, withFeeDefaults } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { headOf } from '../../chains/pending-block.ts';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { requireState } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { suggestedTip } from '../fees/suggested-tip.ts';
import { requireOpenAccount } from '../open-account.ts';
import type { CallExecutor } from './call-executor.ts';
import { executionError, messageJob } from './message-job.ts';

const zeroAddress: Hex = `0x${'00'.repeat(20)}`;
/** Most blobs in one transaction (EIP-7594, as in geth). */
const blobsMax = 6;

/** A call with the properties that geth checks before it parses the call. */
interface Draft extends CallRequest {
  /** True if both `data` and `input` are given and differ. */
  readonly hasTwoInputs: boolean;
}

function parseDraft(field: string, value: unknown): Draft {
  if (Array.isArray(value) || (typeof value !== 'object' && value !== undefined))
    throw new InvalidValueError(
      field,
      'an object with from, to, data and other transaction fields',
      value,
      cannotUnmarshal(jsonKind(value), 'ethapi.TransactionArgs'),
    );
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  const call = parseCallRequest(object, { field });
  const { data, input, blobs } = object;
  if (blobs !== undefined && blobs !== null)
    throw new RpcError(
      'params',
      '"blobs" is not supported for this RPC method. Give blobVersionedHashes of the blobs.',
    );
  const isGiven = (item: unknown) => item !== undefined && item !== null;
  const hasTwoInputs = isGiven(data) && isGiven(input) && parseData(field, data) !== parseData(field, input);
  return { ...call, hasTwoInputs };
}

export const ethFillTransaction = (executor: CallExecutor) =>
  define({
    name: 'eth_fillTransaction',
    summary:
      'Fills in the missing nonce, gas, fees and chain id of a transaction. The transaction is neither signed nor sent. Blobs are given by their hashes.',
    params: [
      {
        name: 'transaction',
        summary: 'an object with from, to, data and other transaction fields.',
        schema: paramSchemas.call,
        parse: parseDraft,
      },
    ],
    result: 'An object with raw, the bytes of the transaction with an empty signature, and tx, the same as JSON.',
    errors: ['reverted', 'server'],
    cost: 100,
    reveals: { contracts: ([draft]) => [draft.to], overrides: () => [] },
    async handle([draft], context) {
      const { chain } = context;
      const { spec } = chain.reader;
      if (spec === undefined) throw new RpcError('server', `The network ${chain.network.name} has no fork schedule.`);
      const header = headOf(chain);
      const { block, rules } = blockEnvironment(spec, header);
      const { hasTwoInputs, ...given } = draft;
      const call = withFeeDefaults(given, { header, rules, block, tip: suggestedTip(chain) });
      requireWhole(call, hasTwoInputs);
      const gas = call.gas ?? (await estimate(executor, context, call));
      if (call.chainId !== undefined && call.chainId !== rules.chainId)
        throw new RpcError('server', `chainId does not match node's (have=${call.chainId}, want=${rules.chainId})`);
      const from = call.from ?? zeroAddress;
      const { state } = requireState(context);
      requireOpenAccount(context, state, from);
      const nonce = call.nonce ?? state.getAccount(bytesFromHex(from))?.nonce ?? 0n;
      const transaction = unsignedTransaction(from, fieldsOf({ ...call, gas, nonce, chainId: rules.chainId }));
      return { raw: hexFromBytes(transaction.raw), tx: unsignedJson(transaction) };
    },
  });

/** Checks that the fields form a transaction. @throws RpcError in geth's words */
function requireWhole(
  { to, data = '0x', blobVersionedHashes, authorizationList }: CallRequest,
  hasTwoInputs: boolean,
): void {
  const refuse = (message: string) => {
    throw new RpcError('server', message);
  };
  if (hasTwoInputs)
    refuse('both "data" and "input" are set and not equal. Please use "input" to pass transaction call data');
  const blobs = blobVersionedHashes?.length;
  if (blobs === 0) refuse('need at least 1 blob for a blob transaction');
  if (blobs !== undefined && blobs > blobsMax) refuse(`too many blobs in transaction (have=${blobs}, max=${blobsMax})`);
  if (to !== undefined) return;
  if (blobs !== undefined) refuse('missing "to" in blob transaction');
  if (data === '0x') refuse('contract creation without any data provided. Give to, or data.');
  // geth accepts an empty list and then crashes on it.
  if (authorizationList !== undefined)
    refuse('authorizationList provided for contract creation, but "to" field is missing');
}

async function estimate(executor: CallExecutor, context: RequestContext, call: CallRequest): Promise<bigint> {
  const { nonce: _, chainId: __, ...estimated } = call;
  const result = await executor.run(context, 'eth_fillTransaction', {
    kind: 'estimateGas' as const,
    ...messageJob(context, estimated),
  });
  if (result.kind === 'estimate') return result.gas;
  throw executionError(result);
}

type Filled = CallRequest & { readonly gas: bigint; readonly nonce: bigint; readonly chainId: bigint };

/** Chooses the newest transaction type that the fields require. A gas price makes it a legacy transaction, as in geth. */
function fieldsOf(call: Filled): UnsignedFields {
  const { chainId, gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = call;
  const { nonce, gas, to = null, value = 0n, data: input = '0x' } = call;
  const common = { nonce, gas, to, value, input };
  if (gasPrice !== undefined) return { ...common, type: 0, gasPrice };
  const { accessList = [], authorizationList, blobVersionedHashes, maxFeePerBlobGas = 0n } = call;
  const fields = { ...common, chainId, maxFeePerGas, maxPriorityFeePerGas, accessList };
  if (authorizationList !== undefined) return { ...fields, type: 4, authorizationList };
  return blobVersionedHashes === undefined
    ? { ...fields, type: 2 }
    : { ...fields, type: 3, maxFeePerBlobGas, blobVersionedHashes };
}

/** Serializes a transaction that is in no block, as geth does. */
function unsignedJson(transaction: Transaction): Json {
  const { type, chainId, gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = transaction;
  const { accessList, blobVersionedHashes, authorizationList } = transaction;
  const orNull = (value: bigint | undefined) => (value === undefined ? null : quantity(value));
  return {
    type: quantity(type),
    ...(chainId !== undefined && { chainId: quantity(chainId) }),
    nonce: quantity(transaction.nonce),
    to: transaction.to,
    gas: quantity(transaction.gas),
    gasPrice: orNull(gasPrice),
    maxPriorityFeePerGas: orNull(maxPriorityFeePerGas),
    maxFeePerGas: orNull(maxFeePerGas),
    ...(maxFeePerBlobGas !== undefined && { maxFeePerBlobGas: quantity(maxFeePerBlobGas) }),
    value: quantity(transaction.value),
    input: transaction.input,
    ...(accessList && { accessList }),
    ...(blobVersionedHashes && { blobVersionedHashes }),
    ...(authorizationList &&
      authorizationList.length > 0 && { authorizationList: authorizationList.map(authorizationJson) }),
    v: '0x0',
    r: '0x0',
    s: '0x0',
    ...(type !== 0 && { yParity: '0x0' }),
    hash: transaction.hash,
  };
}

function authorizationJson({ address, ...numbers }: NonNullable<Transaction['authorizationList']>[number]): Json {
  const quantities = Object.entries(numbers).map(([name, value]) => [name, quantity(value)] as const);
  return { ...Object.fromEntries(quantities), address };
}
