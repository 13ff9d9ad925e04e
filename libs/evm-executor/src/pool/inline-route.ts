import type { CallRequest, StateOverrides } from '../call-request.ts';
import type { TraceOptions, TracerName } from '../trace/trace-options.ts';
import type { CallJob, ExecutionJob, TraceBlockJob } from './execution-job.ts';

/**
 * Maximum input length of an inline call. Parsing, copying and hashing of input cost no gas, so longer input is passed to a
 * worker.
 */
const dataCharactersMax = 16_384;
const accessListMax = 16;
/** Limits of the overrides of an inline call. The code of one contract of the greatest length fits in. */
const overriddenAccountsMax = 4;
const overrideCharactersMax = 65_536;
const overriddenSlotsMax = 64;

/** Tracers whose output is short for the gas of a light block. */
const inlineTracers: ReadonlySet<TracerName> = new Set<TracerName>([
  'callTracer',
  'flatCallTracer',
  'prestateTracer',
  '4byteTracer',
  'noopTracer',
  'structLog',
  'parity',
]);

/**
 * Returns the name under which an {@link InlineExecutor} remembers that a job is heavy: the called function, or the traced
 * transactions.
 * `undefined` for jobs that are never executed inline.
 */
export function inlineRouteOf(job: ExecutionJob): string | undefined {
  if (isBlockTrace(job))
    return mayTraceInline(job) ? `${job.chain} trace ${job.blockHash} ${job.index} ${job.options.tracer}` : undefined;
  if (!isCall(job) || job.blockOverrides !== undefined || !isSmall(job.call)) return undefined;
  const name = `${job.chain} ${job.call.to} ${job.call.data?.slice(0, 10)}`;
  if (job.stateOverrides === undefined) return name;
  return areSmall(job.stateOverrides) ? `${name} overridden` : undefined;
}

export function isBlockTrace(job: ExecutionJob): job is TraceBlockJob {
  return job.kind === 'traceBlock';
}

function mayTraceInline({ raw, contracts, options }: TraceBlockJob): boolean {
  return raw === undefined && contracts === undefined && inlineTracers.has(options.tracer) && !isLong(options);
}

/** Reports whether each step would be listed with much more than its stack, or whether many blocks are traced in a row. */
function isLong(options: TraceOptions): boolean {
  if (options.tracer === 'parity') return options.vmTrace || options.filter !== undefined;
  return options.tracer === 'structLog' && options.enableMemory;
}

function isCall(job: ExecutionJob): job is CallJob {
  return job.kind === undefined || job.kind === 'call';
}

function isSmall({ data = '0x', accessList = [], authorizationList, blobVersionedHashes }: CallRequest): boolean {
  if (data.length > dataCharactersMax || accessList.length > accessListMax) return false;
  // Recovering a signature takes a millisecond.
  if (authorizationList !== undefined || blobVersionedHashes !== undefined) return false;
  return accessList.every(({ storageKeys }) => storageKeys.length <= accessListMax);
}

function areSmall(overrides: StateOverrides): boolean {
  if (overrides.size > overriddenAccountsMax) return false;
  let characters = 0;
  let slots = 0;
  for (const { code, state, stateDiff } of overrides.values()) {
    characters += code?.length ?? 0;
    slots += (state?.size ?? 0) + (stateDiff?.size ?? 0);
  }
  return characters <= overrideCharactersMax && slots <= overriddenSlotsMax;
}
