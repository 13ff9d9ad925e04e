import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Exchange, exchange, multipart } from './exchange.ts';
import { compareAnswers, jsonValues } from './recorded/compare-answers.ts';
import { reasonOf } from './recorded/differences.ts';
import { type RecordedStep, readScenarios, type Scenario } from './recorded/scenarios.ts';
import { Service } from './service.ts';

// Scenarios recorded from Kubo 0.42, each on its own account.
const scenarios = readScenarios();
const shared = new Service();
const settings = { STORAGE_BLOCK_WAIT_SECONDS: '0', STORAGE_GC_GRACE_SECONDS: '0' };

interface Run {
  readonly service: Service;
  readonly authorization: string;
  readonly saved: ReadonlyMap<string, string>;
}

async function send(
  { request: { method, path, headers, body, multipart: parts } }: RecordedStep,
  { service, authorization, saved }: Run,
): Promise<Exchange> {
  const form =
    parts && multipart(parts.map(({ base64, ...part }) => ({ ...part, bytes: Buffer.from(base64, 'base64') })));
  const target = path.replace(/\{(\w+)\}/g, (text, name: string) => encodeURIComponent(saved.get(name) ?? text));
  return await exchange(`${service.url}${target}`, {
    method,
    headers: { ...form?.headers, ...headers, authorization },
    body: form?.body ?? Buffer.from(body ?? '', 'base64'),
  });
}

/** Runs a scenario and lists the differences, with their steps. */
async function differencesOf({ name, steps }: Scenario, service: Service): Promise<string[]> {
  const authorization = await service.openAccount();
  const saved = new Map<string, string>();
  const found: string[] = [];
  for (const [index, step] of steps.entries()) {
    const answer = await send(step, { service, authorization, saved });
    for (const [variable, path] of Object.entries(step.save ?? {}))
      saved.set(variable, String(fieldAt(jsonValues(answer.body.toString()).at(-1), path)));
    if (reasonOf(name, index + 1) !== undefined) continue;
    const label = `[${index + 1}] ${step.request.method} ${step.request.path.slice(0, 160)}`;
    const differences = compareAnswers(step.response, answer);
    found.push(...differences.map((difference) => `${label}: ${difference}`));
  }
  return found;
}

async function begin(service: Service): Promise<void> {
  await service.makeAccounts();
  await service.start(settings);
}

function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((field, name) => Object(field)[name], value);
}

if (scenarios.length === 0) test.skip('skipped: ../shared/conformance is not beside the repository', () => {});
else
  describe('scenarios recorded from Kubo', () => {
    beforeAll(() => begin(shared));
    afterAll(() => shared.remove());

    test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
      // A block that another account holds stays, so such a scenario has its own store.
      if (!scenario.steps.some(({ request }) => request.path.includes('/block/rm')))
        return expect(await differencesOf(scenario, shared)).toEqual([]);
      const own = new Service();
      try {
        await begin(own);
        expect(await differencesOf(scenario, own)).toEqual([]);
      } finally {
        await own.remove();
      }
    });
  });
