import { bytesFromHex, type Header, type Hex, hexFromBytes } from '@cairn/block-model';
import { VerifyError } from '../errors.ts';
import { verifyLimits } from '../limits.ts';
import { verifyAccount } from '../verify-account.ts';
import { verifyHeader } from '../verify-block.ts';
import { ProviderRpcError, type RpcRequest } from './rpc-request.ts';
import type { TrustedHead } from './trusted-head.ts';

/** Contract that stores the hashes of the last 8,191 blocks (EIP-2935). */
const historyContract: Hex = '0x0000f90827f1c53a10cb7a02335b175320002935';
/** Links that cost less than a proof of the history contract, which takes a request and a header. */
const linksPreferred = 2n;

/** Headers that are proven from the trusted head. */
export class VerifiedHeaders {
  readonly #request: RpcRequest;
  readonly #trustedHead: TrustedHead;
  /** Verified headers by hash, ordered by last use. */
  readonly #headers = new Map<Hex, Header>();

  constructor(request: RpcRequest, trustedHead: TrustedHead) {
    this.#request = request;
    this.#trustedHead = trustedHead;
  }

  async head(): Promise<Header> {
    return this.byHash((await this.#trustedHead()).hash);
  }

  /** Header with a hash. It is the header of that block, which need not be canonical. @throws BLOCK_UNTRUSTED */
  async byHash(hash: Hex): Promise<Header> {
    const known = this.#headers.get(hash);
    if (known !== undefined) return known;
    const json = await this.#request({ method: 'eth_getBlockByHash', params: [hash, false] });
    if (json === null) throw unknownBlock(hash);
    return this.#keep(verifyHeader(json, hash));
  }

  /**
   * Header of a block id: a number, a tag, a hash, or an object (EIP-1898). Null is the latest block, as in nodes.
   * @throws ProviderRpcError for a block that cannot be proven, VerifyError
   */
  async resolve(given: unknown): Promise<Header> {
    const id = given ?? 'latest';
    if (typeof id === 'object') {
      const { blockHash, blockNumber, requireCanonical } = id as Readonly<Record<string, unknown>>;
      const [hasHash, hasNumber] = [blockHash, blockNumber].map((part) => part !== undefined && part !== null);
      if (hasHash === hasNumber)
        throw new ProviderRpcError(-32602, 'invalid argument: expected either blockNumber or blockHash in the block.');
      if (hasNumber) return this.resolve(blockNumber);
      const header = await this.byHash(hashOf(blockHash));
      if (requireCanonical === true) await this.requireCanonical(header);
      return header;
    }
    if (typeof id === 'string' && id.length === 66) return this.byHash(hashOf(id));
    if (id === 'safe' || id === 'finalized') {
      const hash = (await this.#trustedHead())[id];
      if (hash === undefined) throw new ProviderRpcError(4200, `The source of the trusted head names no ${id} block.`);
      return this.byHash(hash);
    }
    if (id === 'pending') throw new ProviderRpcError(4200, 'The pending block cannot be verified. Use latest.');
    const head = await this.head();
    return id === 'latest' ? head : this.ancestor(head, id === 'earliest' ? 0n : numberOf(id));
  }

  /** @throws BLOCK_UNTRUSTED for a block that is not on the chain of the trusted head */
  async requireCanonical(header: Header): Promise<void> {
    const { hash } = await this.ancestor(await this.head(), header.number);
    if (hash !== header.hash)
      throw new VerifyError('BLOCK_UNTRUSTED', `Block ${header.hash} is not on the chain of the trusted head.`);
  }

  /** Ancestor of a header, proven by parent links or by storage proofs of the history contract. */
  async ancestor(from: Header, number: bigint): Promise<Header> {
    if (number > from.number)
      throw new ProviderRpcError(-32000, `header not found. The newest block is ${from.number}.`);
    let at = from;
    const { historyWindow, historyHopsMax, linkedMax } = verifyLimits;
    for (let hops = 0n; at.number - number > linksPreferred; hops++) {
      const depth = at.number - number;
      const hash =
        hops < historyHopsMax
          ? await this.#byHistory(at, depth > historyWindow ? at.number - historyWindow : number)
          : undefined;
      if (hash === undefined && depth > linkedMax)
        throw new ProviderRpcError(4200, `Block ${number} cannot be proven to be an ancestor of block ${from.number}.`);
      if (hash === undefined) break;
      at = await this.byHash(hash);
    }
    while (at.number > number) at = await this.byHash(at.parentHash);
    return at;
  }

  /** Hash of an ancestor by EIP-2935; `undefined` where the chain does not store it. */
  async #byHistory(at: Header, number: bigint): Promise<Hex | undefined> {
    if (at.requestsHash === undefined) return undefined;
    const slot: Hex = `0x${(number % verifyLimits.historyWindow).toString(16).padStart(64, '0')}`;
    const params = [historyContract, [slot], { blockHash: at.hash }];
    const json = await this.#request({ method: 'eth_getProof', params });
    const [value] = verifyAccount(json, { header: at, address: historyContract, slots: [slot] }).slots;
    return value === undefined || /^0x0*$/.test(value) ? undefined : hexFromBytes(bytesFromHex(value));
  }

  #keep(header: Header): Header {
    this.#headers.set(header.hash, header);
    for (const oldest of this.#headers.keys()) {
      if (this.#headers.size <= verifyLimits.headersKeptMax) break;
      this.#headers.delete(oldest);
    }
    return header;
  }
}

export function hashOf(value: unknown): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/i.test(value))
    throw new ProviderRpcError(-32602, 'invalid argument: expected a hash, "0x" and 64 digits.');
  return value.toLowerCase() as Hex;
}

/** QUANTITY of 64 bits, without leading zeros. */
export const quantityPattern = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i;

export function numberOf(value: unknown): bigint {
  if (typeof value !== 'string' || !quantityPattern.test(value))
    throw new ProviderRpcError(-32602, 'invalid argument: expected a number such as "0x1b4".');
  return BigInt(value);
}

function unknownBlock(hash: Hex): ProviderRpcError {
  return new ProviderRpcError(-32000, `header for hash not found. The gateway has no block ${hash}.`);
}
