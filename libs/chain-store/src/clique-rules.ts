import type { Header } from '@cairn/block-model';

/** Extra data of EIP-225: 32 free bytes, addresses of signers in blocks that end an epoch, and a signature of 65 bytes. */
const vanityAndSealBytes = 32 + 65;
const addressBytes = 20;
const zeroAddress = `0x${'00'.repeat(20)}`;
const zeroHash = `0x${'00'.repeat(32)}`;

/** Checks the fields of a header that EIP-225 uses for the seal. The signature is not checked. @throws Error */
export function checkCliqueSeal({ number, extraData, miner, mixHash }: Header, epoch: bigint): void {
  const bytes = extraData.length / 2 - 1;
  if (number % epoch === 0n) {
    if (bytes < vanityAndSealBytes || (bytes - vanityAndSealBytes) % addressBytes !== 0)
      throw new Error(`its extraData of ${bytes} bytes has no list of signers (EIP-225)`);
    if (miner !== zeroAddress) throw new Error(`its miner is ${miner}, not ${zeroAddress}, at the end of an epoch`);
  } else if (bytes !== vanityAndSealBytes)
    throw new Error(`its extraData has ${bytes} bytes, not ${vanityAndSealBytes} (EIP-225)`);
  if (mixHash !== zeroHash) throw new Error(`its mixHash is ${mixHash}, not ${zeroHash}`);
}
