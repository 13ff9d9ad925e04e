/** `0x` and an even number of lower-case hexadecimal digits (DATA of the execution-apis specification). */
export type Hex = `0x${string}`;
