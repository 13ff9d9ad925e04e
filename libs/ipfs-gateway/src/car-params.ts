import { GatewayError } from './errors.ts';

export type DagScope = 'block' | 'entity' | 'all';

/** Range of bytes of a file, both ends inclusive. Negative numbers count from the end; `to` is absent for the end. */
export interface EntityBytes {
  readonly from: number;
  readonly to?: number;
}

/** Parameters of a CAR response (https://specs.ipfs.tech/http-gateways/trustless-gateway/#car-responses-application-vnd-ipld-car). */
export interface CarParams {
  readonly scope: DagScope;
  readonly bytes?: EntityBytes;
  readonly order: 'dfs' | 'unk';
  readonly hasDuplicates: boolean;
}

/** Parses the parameters: those of the query have precedence over those of the media type. @throws GatewayError 400 */
export function parseCarParams(query: URLSearchParams, params: ReadonlyMap<string, string>): CarParams {
  const version = query.get('car-version') ?? params.get('version') ?? '1';
  if (version !== '1') throw refused('version');
  const order = query.get('car-order') ?? params.get('order') ?? 'dfs';
  if (order !== 'dfs' && order !== 'unk') throw refused('order');
  const dups = query.get('car-dups') ?? params.get('dups') ?? 'n';
  if (dups !== 'y' && dups !== 'n') throw refused('dups');
  const range = query.get('entity-bytes');
  const bytes = range === null ? undefined : parseEntityBytes(range);
  // A range of bytes implies the scope of the entity that has them.
  const scope = query.get('dag-scope') ?? (bytes === undefined ? 'all' : 'entity');
  if (scope !== 'block' && scope !== 'entity' && scope !== 'all') throw refused('scope');
  return { scope, order, hasDuplicates: dups === 'y', ...(bytes !== undefined && { bytes }) };
}

function refused(name: string): GatewayError {
  return new GatewayError(400, `unsupported application/vnd.ipld.car ${name} parameter`);
}

function parseEntityBytes(text: string): EntityBytes {
  const bad = (reason: string) =>
    new GatewayError(400, `invalid application/vnd.ipld.car entity-bytes URL parameter: ${reason}`);
  const [first = '', last, ...rest] = text.split(':');
  if (last === undefined || rest.length > 0) throw bad("range must have two numbers separated with ':'");
  const number = (part: string): number => {
    if (!/^-?\d{1,15}$/.test(part)) throw bad(`${JSON.stringify(part.slice(0, 40))} is not a number`);
    return Number(part);
  };
  const from = number(first);
  if (last === '*') return { from };
  const to = number(last);
  const isSameSide = from < 0 === to < 0;
  if (isSameSide && from > to) throw bad("cannot have an entity-bytes range where 'from' is after 'to'");
  return { from, to };
}
