import type { Principal } from '@cairn/auth';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import { type HeaderFields, type RequestRecord, RequestRecorder, type SpanAttributes } from '@cairn/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type ProofLevel, RequestMeter } from '../request-meter.ts';

/** One request body from its arrival to its log line. */
export interface GatewayRequest {
  /** Holds id, span, caller and meter. The meter exists as soon as the account is known. */
  readonly record: RequestRecord<RequestMeter, Principal>;
  /** Undefined until the host is resolved. */
  network: string | undefined;
  bytesIn: number;
}

/** The end of a request, for its span and its log line. */
export interface RequestEnd {
  /** Name of the span: method and route. */
  readonly name: string;
  readonly status: number;
  readonly bytesOut: number;
  readonly attributes: SpanAttributes;
  readonly message: 'request' | 'message';
}

/** Starts record and meter of each request, and ends them with one log line. */
@Injectable()
export class MeteringInterceptor {
  /** Number of answers by network and level of verification. */
  readonly proofCounts = new Map<string, Record<ProofLevel, number>>();

  constructor(
    @Inject(METERING) private readonly metering: Metering,
    @Inject(RequestRecorder) private readonly recorder: RequestRecorder,
  ) {}

  /** @param id id that several requests share; default: that of the header fields, or a new one */
  start(headers: HeaderFields, id?: string): GatewayRequest {
    return { record: this.recorder.start(headers, id), network: undefined, bytesIn: 0 };
  }

  /** Starts to meter a request whose account and network are known. */
  meter(request: GatewayRequest, principal: Principal, network: string): RequestMeter {
    const { record } = request;
    const meter = new RequestMeter(this.metering, principal, network, record);
    record.caller = principal;
    record.meter = meter;
    request.network = network;
    return meter;
  }

  /** Ends meter and span, and writes the log line. Called once. */
  end(request: GatewayRequest, { name, status, bytesOut, attributes, message }: RequestEnd): void {
    const { record, network, bytesIn } = request;
    if (network !== undefined) this.#countProofs(network, record.meter?.proofs ?? []);
    // Written out: a spread with overwritten properties takes 4 µs, a tenth of a light request.
    record.end({
      name,
      status,
      bytesIn,
      bytesOut,
      attributes: record.span && { ...attributes, 'cairn.network': network },
      fields: { network },
      message,
    });
  }

  #countProofs(network: string, levels: readonly ProofLevel[]): void {
    const counts = this.proofCounts.get(network) ?? { executed: 0, proven: 0, quorum: 0 };
    this.proofCounts.set(network, counts);
    for (const level of levels) counts[level]++;
  }
}
