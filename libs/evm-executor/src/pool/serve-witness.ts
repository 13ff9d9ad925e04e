import { type Header, headerToJson, hexFromBytes, type Json } from '@cairn/block-model';
import type { CallEngine, Deadline } from '@cairn/evm';
import { collectBlockAccesses } from '../block/collect-block-accesses.ts';
import { StateUnavailableError } from '../errors.ts';
import { ancestorHashes, ancestorsDownTo } from './ancestor-hashes.ts';
import type { CallChain, CallSource } from './call-source.ts';
import type { ExecutionWitnessJob, JsonResult } from './execution-job.ts';

/** Builds the witness of a block in the form of geth's debug_executionWitness. @throws STATE_UNAVAILABLE, EXECUTION_TIMEOUT */
export async function serveWitness(
  { chain: name, blockHash }: ExecutionWitnessJob,
  { spec }: Pick<CallChain, 'spec'>,
  source: CallSource,
  engine: CallEngine,
  deadline?: Deadline,
): Promise<JsonResult> {
  const block = source.block?.(blockHash);
  const parent = block && source.header(block.header.parentHash);
  const state = parent && source.stateAt(parent.hash);
  const roots = parent && source.stateRoots?.(parent.hash);
  if (!block || !parent || !state || !roots) throw new StateUnavailableError(name, blockHash);
  const blockHashes = ancestorHashes(source, block.header);
  const { reads, codes, lowestHash, changes } = await collectBlockAccesses(
    { spec, block, parent, state, roots, blockHashes },
    engine,
    deadline,
  );
  const nodes = await source.witnessNodes?.(parent.hash, { reads, changes });
  if (nodes === undefined) throw new StateUnavailableError(name, parent.hash);
  const sorted = (items: readonly Uint8Array[]) => [...new Set(items.map(hexFromBytes))].sort();
  const headers = ancestorsDownTo(source, parent, lowestHash).reverse().map(headerJson);
  const witness = { headers, codes: sorted(codes), state: sorted(nodes), keys: null };
  return { kind: 'json', json: JSON.stringify(witness), gasUsed: block.header.gasUsed };
}

/** Header as JSON with null for each field that its fork lacks. */
function headerJson(header: Header): Json {
  const absent = ['baseFeePerGas', 'withdrawalsRoot', 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'];
  const nothing = Object.fromEntries(
    [...absent, 'requestsHash', 'blockAccessListHash', 'slotNumber'].map((field) => [field, null]),
  );
  return { ...nothing, ...headerToJson(header) };
}
