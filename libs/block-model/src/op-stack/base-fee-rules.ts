import type { ChainSpec } from '../chain-spec.ts';
import type { Header } from '../header.ts';
import { bytesFromHex } from '../hex.ts';
import { isOpForkActive, optimismConfig } from './op-forks.ts';

/** Parameters of the base fee after one block (EIP-1559). */
export interface BaseFeeRules {
  /** Gas limit divided by the gas target. */
  readonly elasticity: bigint;
  /** Maximum change is one part in so many. */
  readonly denominator: bigint;
  /** Wei per gas below which the base fee does not fall. */
  readonly minimum: bigint;
  /** Gas that counts for the target. */
  readonly gasMetered: bigint;
}

type Parent = Pick<Header, 'gasUsed'> & Partial<Pick<Header, 'timestamp' | 'extraData' | 'blobGasUsed'>>;

const ethereum = { elasticity: 2n, denominator: 8n, minimum: 0n } as const;

/**
 * Parameters of the base fee after `parent`. OP-stack chains name them in their genesis file and, since the Holocene fork, in
 * `extraData` of the parent. Since Jovian, `extraData` has a minimum, and the data footprint in `blobGasUsed` counts as gas.
 * @param time of the new block; default: that of the parent
 */
export function baseFeeRules(spec: ChainSpec | undefined, parent: Parent, time = parent.timestamp ?? 0n): BaseFeeRules {
  const { gasUsed, timestamp = 0n, extraData = '0x', blobGasUsed = 0n } = parent;
  const optimism = spec === undefined || 'known' in spec ? undefined : optimismConfig(spec.genesis.config);
  if (spec === undefined || optimism === undefined) return { gasMetered: gasUsed, ...ethereum };
  const number = (field: string, fallback: bigint) => {
    const value = optimism[field];
    return typeof value === 'number' && value > 0 ? BigInt(value) : fallback;
  };
  const isCanyon = isOpForkActive(spec, 'canyon', time);
  const bedrockDenominator = number('eip1559Denominator', 50n);
  const named = isOpForkActive(spec, 'holocene', timestamp) ? parametersIn(bytesFromHex(extraData)) : undefined;
  const isFootprintMetered = isOpForkActive(spec, 'jovian', timestamp) && blobGasUsed > gasUsed;
  return {
    elasticity: named?.elasticity ?? number('eip1559Elasticity', 6n),
    denominator: named?.denominator ?? (isCanyon ? number('eip1559DenominatorCanyon', 250n) : bedrockDenominator),
    minimum: named?.minimum ?? 0n,
    gasMetered: isFootprintMetered ? blobGasUsed : gasUsed,
  };
}

/** Version, denominator and elasticity of 4 bytes each and, in version 1, a minimum of 8 bytes; `undefined` for other data. */
function parametersIn(extraData: Uint8Array) {
  if (extraData.length !== 9 && extraData.length !== 17) return undefined;
  const view = new DataView(extraData.buffer, extraData.byteOffset, extraData.length);
  const denominator = BigInt(view.getUint32(1));
  const elasticity = BigInt(view.getUint32(5));
  if (denominator === 0n || elasticity === 0n) return undefined;
  return { denominator, elasticity, minimum: extraData.length === 17 ? view.getBigUint64(9) : 0n };
}
