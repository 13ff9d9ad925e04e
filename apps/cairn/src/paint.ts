import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours text for a stream. Terminals only; NO_COLOR and FORCE_COLOR apply (node:util styleText). */
const on = (stream: NodeJS.WriteStream, style: Style) => (text: string) => styleText(style, text, { stream });

/** Colours by meaning. Each falls back to plain text where the output is no terminal. */
export const paint = {
  heading: on(process.stdout, 'bold'),
  good: on(process.stdout, 'green'),
  warning: on(process.stdout, 'yellow'),
  fault: on(process.stdout, 'red'),
  faint: on(process.stdout, 'dim'),
  error: on(process.stderr, 'red'),
} as const;

const states: Readonly<Record<string, (text: string) => string>> = {
  ready: paint.good,
  active: paint.good,
  good: paint.good,
  'not ready': paint.warning,
  suspended: paint.warning,
  WARNING: paint.warning,
  'not reachable': paint.fault,
  revoked: paint.faint,
  expired: paint.faint,
  FAULT: paint.fault,
};

/** Colours a word of state, such as `ready`, together with the reason behind it. */
export function paintState(text: string): string {
  const known = states[text.split(':')[0]?.trim() ?? ''];
  return known ? known(text) : text;
}
