import { type Hex, hexFromBytes, quantity } from '@cairn/block-model';
import type { TracedMessage } from '../transaction-tracer.ts';
import { parityError } from './parity-errors.ts';
import { type ParityFrame, traceAddressOf } from './parity-frames.ts';

/** A call or reward as trace_block and trace_filter list it. */
export interface ParityRecord {
  /** Absent for a reward. */
  readonly from: Hex | undefined;
  /** Called or created account, heir of a SELFDESTRUCT, or receiver of a reward; absent for a failed creation. */
  readonly to: Hex | undefined;
  readonly traceAddress: readonly number[];
  toJson(): string;
}

/** Converts a frame to a record with its place. */
export function recordOfFrame(frame: ParityFrame, place: TracedMessage['place']): ParityRecord {
  const isFailedCreation = isCreation(frame) && frame.end?.error !== undefined;
  return {
    from: hexFromBytes(frame.from),
    to: isFailedCreation ? undefined : hexFromBytes(frame.to),
    get traceAddress() {
      return traceAddressOf(frame);
    },
    toJson: () => frameToJson(frame, place),
  };
}

/** JSON text of a frame; with `place` it names its block and transaction. */
export function frameToJson(frame: ParityFrame, place?: TracedMessage['place']): string {
  const error = frame.end?.error;
  const { type, action, result } = partsOf(frame);
  const words = error === undefined ? '' : `,"error":${JSON.stringify(parityError(error, frame.isPrecompile))}`;
  const block = place && `,"blockHash":"${place.blockHash}","blockNumber":${place.blockNumber}`;
  const transaction = place && `,"transactionHash":"${place.hash}","transactionPosition":${place.index}`;
  const tree = `"subtraces":${frame.subtraces},"traceAddress":[${traceAddressOf(frame).join(',')}]`;
  return `{"action":${action}${block ?? ''}${words},"result":${result},${tree}${transaction ?? ''},"type":"${type}"}`;
}

const isCreation = ({ kind }: ParityFrame) => kind === 'CREATE' || kind === 'CREATE2';

interface Parts {
  readonly type: string;
  readonly action: string;
  readonly result: string;
}

function partsOf(frame: ParityFrame): Parts {
  const { kind, value, gas, end } = frame;
  const [from, to] = [hexFromBytes(frame.from), hexFromBytes(frame.to)];
  const input = hexFromBytes(frame.input);
  const { error, output = new Uint8Array(0), gasUsed = 0n } = end ?? {};
  if (kind === 'SELFDESTRUCT') {
    const action = { address: from, balance: quantity(value), refundAddress: to };
    return { type: 'suicide', action: JSON.stringify(action), result: 'null' };
  }
  const used = quantity(gasUsed);
  const returned = { gasUsed: used, output: hexFromBytes(output) };
  // A revert returns data. Other failures have no result.
  const failed = error === 'execution reverted' ? JSON.stringify(returned) : 'null';
  if (isCreation(frame)) {
    const creationMethod = kind.toLowerCase();
    const action = { creationMethod, from, gas: quantity(gas), init: input, value: quantity(value) };
    const created = { address: to, code: returned.output, gasUsed: used };
    return {
      type: 'create',
      action: JSON.stringify(action),
      result: error === undefined ? JSON.stringify(created) : failed,
    };
  }
  const action = { callType: kind.toLowerCase(), from, gas: quantity(gas), input, to, value: quantity(value) };
  return {
    type: 'call',
    action: JSON.stringify(action),
    result: error === undefined ? JSON.stringify(returned) : failed,
  };
}
