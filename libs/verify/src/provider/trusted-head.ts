import { type Hex, headerFromJson, hexFromBytes, type Json } from '@cairn/block-model';
import { VerifyError, withCode } from '../errors.ts';
import type { RpcRequest } from './rpc-request.ts';

/** Trusted hashes of the chain at one time. Everything that a provider returns is proven from them. */
export interface TrustedHeads {
  readonly hash: Hex;
  /** Blocks of the tags `safe` and `finalized`. Without them, requests with these tags are refused. */
  readonly safe?: Hex | undefined;
  readonly finalized?: Hex | undefined;
}

/** Source of trust, asked once for each request that needs the head. */
export type TrustedHead = () => TrustedHeads | Promise<TrustedHeads>;

interface LightHeader {
  readonly execution: { readonly blockHash: Uint8Array };
}

/** Heads of `LightClient` of `@cairn/light-client`. @throws BLOCK_UNTRUSTED before the light client has a head */
export function headOfLightClient(client: {
  readonly heads: { readonly optimistic: LightHeader; readonly finalized: LightHeader } | undefined;
}): TrustedHead {
  return () => {
    const { heads } = client;
    if (heads === undefined) throw new VerifyError('BLOCK_UNTRUSTED', 'The light client has no head yet.');
    const hashOf = ({ execution }: LightHeader) => hexFromBytes(execution.blockHash);
    return { hash: hashOf(heads.optimistic), safe: hashOf(heads.finalized), finalized: hashOf(heads.finalized) };
  };
}

/**
 * The newest block on which several gateways agree: the lowest of their heads, whose hash they must all return. Use gateways
 * that different people operate.
 * @throws BLOCK_UNTRUSTED if fewer than `required` gateways agree
 */
export function agreedHead(gateways: readonly RpcRequest[], { required = gateways.length } = {}): TrustedHead {
  return async () => {
    const heads = await answersOf(gateways, (request) => blockAt(request, 'latest'));
    // The lowest of the `required` newest heads is known to all of their gateways.
    const numbers = heads.map(({ number }) => number).sort((one, other) => (one < other ? 1 : -1));
    const number = numbers[required - 1];
    if (number === undefined) throw disagreed(heads.length, required);
    const tag = `0x${number.toString(16)}`;
    const votes = new Map<Hex, number>();
    for (const { hash } of await answersOf(gateways, (request) => blockAt(request, tag)))
      votes.set(hash, (votes.get(hash) ?? 0) + 1);
    const [hash, count] = [...votes].reduce<[Hex, number]>(
      (best, vote) => (vote[1] > best[1] ? vote : best),
      ['0x', 0],
    );
    if (count < required) throw disagreed(count, required);
    return { hash };
  };
}

/** The head that one gateway names. Its later answers must be consistent with it; the head itself is not verified. */
export function headOfGateway(request: RpcRequest): TrustedHead {
  return async () => ({ hash: (await blockAt(request, 'latest')).hash });
}

async function blockAt(request: RpcRequest, tag: string): Promise<{ readonly hash: Hex; readonly number: bigint }> {
  const json = await request({ method: 'eth_getBlockByNumber', params: [tag, false] });
  return withCode('ANSWER_MALFORMED', 'The head cannot be read', () => headerFromJson(json as Json));
}

async function answersOf<T>(gateways: readonly RpcRequest[], ask: (request: RpcRequest) => Promise<T>): Promise<T[]> {
  const answers = await Promise.allSettled(gateways.map(ask));
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}

function disagreed(count: number, required: number): VerifyError {
  return new VerifyError('BLOCK_UNTRUSTED', `${count} gateways agree on a head. ${required} are required.`);
}
