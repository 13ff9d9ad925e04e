/** Returns the key prefix of an account. Account ids have no zero byte, so no prefix starts with another one. */
export function accountPrefix(account: string): Buffer {
  return Buffer.from(`${account}\0`);
}
