import type { Header } from '@cairn/block-model';
import type { BlockHeader } from '@ethereumjs/block';
import { type Common, Hardfork } from '@ethereumjs/common';

/** A header decoded, and in the form that computes the difficulty and fees of its child. */
export interface CheckedHeader {
  readonly header: Header;
  readonly reference: BlockHeader;
}

/** EIP-1985. */
const gasLimitMax = 2n ** 63n - 1n;

/**
 * Checks a header against its parent (Yellow Paper, section 4.4.4; EIP-1559, 4844). Proof of work itself is not checked: the
 * hash of each block is, by the one that follows or by the caller.
 * @throws Error that says which rule is broken
 */
export function validateHeader({ header, reference }: CheckedHeader, { reference: parent }: CheckedHeader): void {
  const hold = (field: string, actual: unknown, expected: unknown) => {
    if (actual !== expected) throw new Error(`its ${field} is ${actual}, not ${expected}`);
  };
  hold('number', header.number, parent.number + 1n);
  if (header.timestamp <= parent.timestamp)
    throw new Error(`its timestamp ${header.timestamp} is not above its parent's ${parent.timestamp}`);
  const { common } = reference;
  validateFields(header, common);
  if (common.gteHardfork(Hardfork.Paris)) hold('difficulty', header.difficulty, 0n);
  else if (common.consensusAlgorithm() === 'ethash')
    hold('difficulty', header.difficulty, reference.ethashCanonicalDifficulty(parent));
  if (header.gasLimit > gasLimitMax) throw new Error(`its gasLimit ${header.gasLimit} is above ${gasLimitMax}`);
  reference.validateGasLimit(parent);
  if (header.gasUsed > header.gasLimit)
    throw new Error(`its gasUsed ${header.gasUsed} is above its gasLimit ${header.gasLimit}`);
  if (common.isActivatedEIP(1559)) {
    const isFirst = common.hardforkBlock(Hardfork.London) === header.number;
    hold('baseFeePerGas', header.baseFeePerGas, isFirst ? common.param('initialBaseFee') : parent.calcNextBaseFee());
  }
  if (common.isActivatedEIP(4844)) hold('excessBlobGas', header.excessBlobGas, parent.calcNextExcessBlobGas(common));
}

/** Fields of a header that a fork added, each with the EIP that did. */
const fieldsByEip = [
  ['baseFeePerGas', 1559],
  ['withdrawalsRoot', 4895],
  ['blobGasUsed', 4844],
  ['excessBlobGas', 4844],
  ['parentBeaconBlockRoot', 4788],
  ['requestsHash', 7685],
] as const;

/** Checks that a header has the fields of its fork and no others. @throws Error */
function validateFields(header: Header, common: Common): void {
  for (const [field, eip] of fieldsByEip) {
    const isRequired = common.isActivatedEIP(eip);
    if (isRequired && header[field] === undefined) throw new Error(`its ${field} is missing (EIP-${eip})`);
    if (!isRequired && header[field] !== undefined)
      throw new Error(`it has a ${field}, which no block of ${common.hardfork()} has (EIP-${eip})`);
  }
}
