import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Recorded cases of public test suites; optional, in a directory beside the checkout. */
export const conformanceDirectory = resolve(process.cwd(), '../../../shared/conformance');
export const hasConformanceCases = existsSync(conformanceDirectory);

/** One recorded request and its response. */
export interface RecordedExchange {
  readonly name: string;
  readonly request: { readonly method: string; readonly params: readonly unknown[] };
  readonly response: {
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  };
}

/** Reads the exchanges of one folder of `.io` files. */
export function recordedExchanges(folder: string): RecordedExchange[] {
  const directory = join(conformanceDirectory, folder);
  return readdirSync(directory)
    .filter((file) => file.endsWith('.io'))
    .sort()
    .flatMap((name) => {
      const lines = readFileSync(join(directory, name), 'utf8').split('\n');
      const request = lines.find((line) => line.startsWith('>> '));
      const response = lines.find((line) => line.startsWith('<< '));
      if (!request || !response) return [];
      return [{ name, request: JSON.parse(request.slice(3)), response: JSON.parse(response.slice(3)) }];
    });
}
