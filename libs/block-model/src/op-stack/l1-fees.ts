import type { Block } from '../block.ts';
import type { ChainSpec } from '../chain-spec.ts';
import { bytesFromHex, quantity } from '../hex.ts';
import type { Json } from '../json.ts';
import type { Transaction } from '../transaction.ts';
import { depositType } from './deposit.ts';
import { fastLzLength } from './fastlz-length.ts';
import { isOpForkActive } from './op-forks.ts';

/** L1 attributes that the first deposit of a block sets (OP stack specification, "L1 Attributes Deposited Transaction"). */
interface L1Attributes {
  readonly baseFee: bigint;
  /** Before the Ecotone fork. */
  readonly overhead?: bigint;
  readonly scalar?: bigint;
  /** Since the Ecotone fork. */
  readonly baseFeeScalar?: bigint;
  readonly blobBaseFeeScalar?: bigint;
  readonly blobBaseFee?: bigint;
  /** Since the Isthmus fork. */
  readonly operatorFeeScalar?: bigint;
  readonly operatorFeeConstant?: bigint;
  /** Since the Jovian fork. */
  readonly daFootprintGasScalar?: bigint;
}

/** Selectors of the L1Block functions that a fork introduced. */
const selectors = {
  bedrock: '0x015d8eb9',
  ecotone: '0x440a5e20',
  isthmus: '0x098999be',
  jovian: '0x3db6be2b',
} as const;

const million = 1_000_000n;
/** Linear model of the compressed size in millionths of a byte (OP stack specification, Fjord, "L1-Cost fees"). */
const fjordModel = { intercept: -42_585_600n, fastLzFactor: 836_500n, sizeMin: 100n * million } as const;
const calldataGas = { zero: 4n, nonZero: 16n } as const;
/** Bytes that Bedrock added for the signature, by mistake; Regolith corrected it. */
const bedrockSignatureBytes = 68n;

/**
 * L1 fee fields of a receipt, in the JSON of op-geth. They are computed from the block, which is verified, so they are proven.
 * Empty for deposits and for other chains.
 */
export function opReceiptFields(
  spec: ChainSpec,
  { header, transactions }: Pick<Block, 'header' | 'transactions'>,
  transaction: Transaction,
): Json {
  const [first] = transactions;
  if (first?.type !== depositType || transaction.type === depositType) return {};
  const attributes = attributesOf(bytesFromHex(first.input));
  if (attributes === undefined) return {};
  const { baseFee, scalar, blobBaseFee, baseFeeScalar, blobBaseFeeScalar } = attributes;
  const { gas, fee } = l1Cost(spec, header.timestamp, attributes, transaction.raw);
  return {
    l1GasPrice: quantity(baseFee),
    l1GasUsed: quantity(gas),
    l1Fee: quantity(fee),
    ...(scalar !== undefined && { l1FeeScalar: String(Number(scalar) / Number(million)) }),
    ...(blobBaseFee !== undefined && { l1BlobBaseFee: quantity(blobBaseFee) }),
    ...(baseFeeScalar !== undefined && { l1BaseFeeScalar: quantity(baseFeeScalar) }),
    ...(blobBaseFeeScalar !== undefined && { l1BlobBaseFeeScalar: quantity(blobBaseFeeScalar) }),
    ...operatorFields(attributes),
    ...footprintFields(attributes, transaction.raw),
  };
}

function operatorFields({ operatorFeeScalar = 0n, operatorFeeConstant = 0n }: L1Attributes): Json {
  if (operatorFeeScalar === 0n && operatorFeeConstant === 0n) return {};
  return { operatorFeeScalar: quantity(operatorFeeScalar), operatorFeeConstant: quantity(operatorFeeConstant) };
}

function footprintFields({ daFootprintGasScalar }: L1Attributes, raw: Uint8Array): Json {
  if (daFootprintGasScalar === undefined) return {};
  return {
    daFootprintGasScalar: quantity(daFootprintGasScalar),
    blobGasUsed: quantity((fjordSize(raw) / million) * daFootprintGasScalar),
  };
}

/** Reads the calldata of the L1 attributes deposit; `undefined` for an unknown form. */
function attributesOf(data: Uint8Array): L1Attributes | undefined {
  const integer = (start: number, length: number) => {
    let value = 0n;
    for (const byte of data.subarray(start, start + length)) value = (value << 8n) | BigInt(byte);
    return value;
  };
  const selector = quantity(integer(0, 4)).slice(2).padStart(8, '0');
  const is = (name: keyof typeof selectors) => `0x${selector}` === selectors[name];
  if (is('bedrock')) {
    if (data.length < 4 + 8 * 32) return undefined;
    const word = (index: number) => integer(4 + 32 * index, 32);
    return { baseFee: word(2), overhead: word(6), scalar: word(7) };
  }
  const length = is('ecotone') ? 164 : is('isthmus') ? 176 : is('jovian') ? 178 : undefined;
  if (length === undefined || data.length !== length) return undefined;
  return {
    baseFee: integer(36, 32),
    blobBaseFee: integer(68, 32),
    baseFeeScalar: integer(4, 4),
    blobBaseFeeScalar: integer(8, 4),
    ...(length >= 176 && { operatorFeeScalar: integer(164, 4), operatorFeeConstant: integer(168, 8) }),
    ...(length >= 178 && { daFootprintGasScalar: integer(176, 2) }),
  };
}

/** Fee in wei, and the gas that receipts report. The form of the attributes shows the first block of a fork. */
function l1Cost(
  spec: ChainSpec,
  timestamp: bigint,
  { baseFee, overhead, scalar, blobBaseFee = 0n, baseFeeScalar = 0n, blobBaseFeeScalar = 0n }: L1Attributes,
  raw: Uint8Array,
): { readonly gas: bigint; readonly fee: bigint } {
  if (scalar !== undefined && overhead !== undefined) {
    const padding = isOpForkActive(spec, 'regolith', timestamp) ? 0n : bedrockSignatureBytes * calldataGas.nonZero;
    const gas = calldataGasOf(raw) + padding + overhead;
    return { gas, fee: (gas * baseFee * scalar) / million };
  }
  const perByte = baseFee * 16n * baseFeeScalar + blobBaseFee * blobBaseFeeScalar;
  if (!isOpForkActive(spec, 'fjord', timestamp)) {
    const gas = calldataGasOf(raw);
    return { gas, fee: (gas * perByte) / (16n * million) };
  }
  const size = fjordSize(raw);
  return { gas: (size * calldataGas.nonZero) / million, fee: (size * perByte) / million ** 2n };
}

function calldataGasOf(raw: Uint8Array): bigint {
  let zeros = 0;
  for (const byte of raw) if (byte === 0) zeros += 1;
  return BigInt(zeros) * calldataGas.zero + BigInt(raw.length - zeros) * calldataGas.nonZero;
}

/** Estimated compressed size in millionths of a byte. */
function fjordSize(raw: Uint8Array): bigint {
  const { intercept, fastLzFactor, sizeMin } = fjordModel;
  const size = intercept + fastLzFactor * BigInt(fastLzLength(raw));
  return size < sizeMin ? sizeMin : size;
}
