/** Chain of large-node.mjs. */
export const chainId = 1338;

/** Longest code of a contract (EIP-170). */
export const codeBytes = 24_576;

export const contract = (number) => `0xc0${number.toString(16).padStart(38, '0')}`;
