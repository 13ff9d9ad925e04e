/** Bounds of one denylist file. The first two are those of the specification. */
export const limits = {
  /** Bytes of the header. */
  headerBytesMax: 1024 * 1024,
  /** Bytes of a line with its end. */
  lineBytesMax: 2 * 1024 * 1024,
  /** Rules of a file: about 30 bytes of memory each. */
  rulesMax: 20_000_000,
  /** Characters of a path or of the beginning of a path in a rule. */
  pathCharactersMax: 4096,
  /** Problems of a file that are reported one by one. */
  problemsMax: 20,
  /** Files in a directory of denylists. */
  filesMax: 1000,
} as const;
