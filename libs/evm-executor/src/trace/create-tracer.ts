import { CallTracer } from './call-tracer.ts';
import { Erc7562Tracer } from './erc7562-tracer.ts';
import { FlatCallTracer } from './flat-call-tracer.ts';
import { FourByteTracer } from './four-byte-tracer.ts';
import { KeccakPreimageTracer } from './keccak-preimage-tracer.ts';
import { LegacyCallTracer } from './legacy-call-tracer.ts';
import { LegacyFourByteTracer } from './legacy-four-byte-tracer.ts';
import { LegacyPrestateTracer } from './legacy-prestate-tracer.ts';
import { MuxTracer } from './mux-tracer.ts';
import { OpcodeCountTracer, OpcodeHistogram } from './opcode-histogram.ts';
import { ParityTracer } from './parity/parity-tracer.ts';
import { PrestateTracer } from './prestate-tracer.ts';
import { StructLogTracer } from './struct-log-tracer.ts';
import type { TracerOptions } from './trace-options.ts';
import type { TransactionTracer } from './transaction-tracer.ts';

/**
 * Creates a tracer for one transaction.
 * @param lightCharactersMax length of a list of steps above which GasBudgetExceeded is thrown. Default: no limit of its own
 */
export function createTracer(options: TracerOptions, lightCharactersMax?: number): TransactionTracer {
  switch (options.tracer) {
    case 'structLog':
      return new StructLogTracer(options, lightCharactersMax);
    case 'callTracer':
      return new CallTracer(options);
    case 'flatCallTracer':
      return new FlatCallTracer(options);
    case 'prestateTracer':
      return new PrestateTracer(options);
    case 'erc7562Tracer':
      return new Erc7562Tracer(options);
    case 'keccak256PreimageTracer':
      return new KeccakPreimageTracer();
    case '4byteTracer':
      return new FourByteTracer();
    case 'opcountTracer':
      return new OpcodeCountTracer();
    case 'unigramTracer':
      return new OpcodeHistogram(1);
    case 'bigramTracer':
      return new OpcodeHistogram(2);
    case 'trigramTracer':
      return new OpcodeHistogram(3);
    case 'callTracerLegacy':
      return new LegacyCallTracer();
    case 'prestateTracerLegacy':
      return new LegacyPrestateTracer();
    case '4byteTracerLegacy':
      return new LegacyFourByteTracer();
    case 'muxTracer':
      return new MuxTracer(options.tracers.map((each) => [each.tracer, createTracer(each)] as const));
    case 'parity':
      return new ParityTracer(options);
    case 'noopTracer':
    case 'noopTracerLegacy':
      return { result: () => '{}' };
  }
}
