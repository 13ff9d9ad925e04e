/** One command of the `ipfs` CLI. Words are separated by spaces; `$name` stands for a saved value, `$out` for a directory of the side. */
export interface CliStep {
  readonly line: string;
  readonly stdin?: string;
  /** Saves the trimmed standard output under this name. */
  readonly save?: string;
  /** Compares the files below this path of `$out` after the command. */
  readonly tree?: string;
  /** Text that differs between runs, such as times: each match is compared as `<any>`. */
  readonly varying?: RegExp;
  /** Compares the lines of standard output in any order. */
  readonly isUnordered?: boolean;
  /** Compares equal lines of standard output once. */
  readonly isRepeatable?: boolean;
  /** States why the two sides differ by design. The exit code alone is compared. */
  readonly onlyExit?: string;
  /** States that the service refuses the command by design: exit code 1, nothing on standard output, this on standard error. */
  readonly refused?: RegExp;
}

/** Commands that run one after the other in one account. */
export interface CliScript {
  readonly name: string;
  readonly steps: readonly (string | CliStep)[];
}
