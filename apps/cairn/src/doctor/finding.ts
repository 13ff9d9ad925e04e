/** Result of one check of `cairn doctor`. */
export interface Finding {
  /** Part of the installation, such as `ports`. */
  readonly check: string;
  /** `fault`: something will not work. `warning`: it works, with a risk. `unknown`: it could not be checked. */
  readonly state: 'good' | 'warning' | 'fault' | 'unknown';
  /** One sentence without a secret. */
  readonly text: string;
  /** Present for a fault or a warning: what to do. */
  readonly advice?: string;
}

export const good = (check: string, text: string): Finding => ({ check, state: 'good', text });
export const unknown = (check: string, text: string): Finding => ({ check, state: 'unknown', text });
export const warning = (check: string, text: string, advice: string): Finding => ({
  check,
  state: 'warning',
  text,
  advice,
});
export const fault = (check: string, text: string, advice: string): Finding => ({
  check,
  state: 'fault',
  text,
  advice,
});
