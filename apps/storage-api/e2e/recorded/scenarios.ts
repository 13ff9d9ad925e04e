import { existsSync, readFileSync } from 'node:fs';

/** Response of Kubo to one step. `json` has the values of the body; `<any>` stands for any value. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: readonly unknown[];
  readonly text?: string;
  readonly base64?: string;
  readonly unordered?: boolean;
  readonly compare?: 'status' | 'keys';
}

export interface RecordedStep {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly multipart?: readonly {
      readonly name: string;
      readonly filename?: string;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly base64: string;
    }[];
  };
  readonly response: RecordedResponse;
  /** Variables of later paths: fields of the last JSON value of the response. */
  readonly save?: Readonly<Record<string, string>>;
}

export interface Scenario {
  readonly name: string;
  readonly steps: readonly RecordedStep[];
}

const file = new URL('../../../../../shared/conformance/ipfs-commands/scenarios.jsonl', import.meta.url);

/** Scenarios recorded from Kubo 0.42; none where the recordings are not installed beside the repository. */
export function readScenarios(): readonly Scenario[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Scenario => JSON.parse(line));
}
