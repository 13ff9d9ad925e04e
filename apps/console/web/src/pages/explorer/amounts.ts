/** `1.5 ETH`: wei as ether, without trailing zeros. */
export function ether(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0');
  const whole = BigInt(digits.slice(0, -18)).toLocaleString('en');
  const rest = digits.slice(-18).replace(/0+$/, '');
  return `${whole}${rest === '' ? '' : `.${rest}`} ETH`;
}

/** `12.5 gwei` */
export function gwei(wei: bigint): string {
  const digits = wei.toString().padStart(10, '0');
  const rest = digits.slice(-9).replace(/0+$/, '');
  return `${digits.slice(0, -9)}${rest === '' ? '' : `.${rest}`} gwei`;
}
