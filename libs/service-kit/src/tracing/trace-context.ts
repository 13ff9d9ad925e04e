/** Header fields as Node has them. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where a request belongs, as its sender says. See W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the sender: 16 hexadecimal digits. */
  readonly parentId: string;
  readonly isSampled: boolean;
  /** `tracestate`, as it came. */
  readonly state: string | undefined;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** What the recommendation has everybody pass on, at least. */
const stateCharactersMax = 512;

/**
 * Reads `traceparent` and `tracestate`. What is not as the recommendation has it counts as not sent.
 * See https://www.w3.org/TR/trace-context/, "traceparent Header".
 */
export function traceContextOf(headers: HeaderFields): TraceContext | undefined {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || traceparent.length > 256) return undefined;
  const [, version, traceId = '', parentId = '', flags = '', more] = pattern.exec(traceparent) ?? [];
  // Later versions may say more at the end; the first one may not, and there is no ff.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const state = typeof tracestate === 'string' && tracestate.length <= stateCharactersMax ? tracestate : undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, state };
}

/** The header fields of a context. */
export function traceHeaders({ traceId, parentId, isSampled, state }: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${parentId}-${isSampled ? '01' : '00'}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
