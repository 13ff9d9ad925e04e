/** Header fields in Node's form. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Trace context of a request, from its sender. See W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Span of the sender: 16 hexadecimal digits. */
  readonly parentId: string;
  readonly isSampled: boolean;
  /** `tracestate`, unchanged. */
  readonly state: string | undefined;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Characters that the recommendation requires every service to propagate. */
const stateCharactersMax = 512;

/**
 * Parses `traceparent` and `tracestate`. Values that do not match the recommendation count as absent. See
 * https://www.w3.org/TR/trace-context/, "traceparent Header".
 */
export function traceContextOf(headers: HeaderFields): TraceContext | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || traceparent.length > 256) return undefined;
  const [, version, traceId = '', parentId = '', flags = '', more] = pattern.exec(traceparent) ?? [];
  // Later versions may add fields at the end; version 00 may not, and ff is invalid.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const state = typeof tracestate === 'string' && tracestate.length <= stateCharactersMax ? tracestate : undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, state };
}

/** Formats the header fields of a context. */
export function traceHeaders({ traceId, parentId, isSampled, state }: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${parentId}-${isSampled ? '01' : '00'}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
