import { expect, test } from '@jest/globals';
import type { Dependency } from '../health.ts';
import { EngineLog } from './engine-log.ts';

test('each change of an engine is one line', () => {
  let engines: readonly Dependency[] = [{ name: 'redis' }, { name: 'postgres' }];
  const lines: unknown[][] = [];
  const log = new EngineLog(() => engines, {
    warn: (...line: unknown[]) => void lines.push(['warn', ...line]),
    info: (...line: unknown[]) => void lines.push(['info', ...line]),
  });
  log.look();
  expect(lines).toEqual([]);

  engines = [{ name: 'redis', warning: 'Redis: 0 of 1 servers answer.' }, { name: 'postgres' }];
  log.look();
  log.look();
  expect(lines.splice(0)).toEqual([
    ['warn', { engine: 'redis', reason: 'Redis: 0 of 1 servers answer.' }, 'an engine fails'],
  ]);

  // A failure that lasts becomes a problem: still the same outage.
  engines = [{ name: 'redis', problem: 'Redis: 0 of 1 servers answer.' }, { name: 'postgres' }];
  log.look();
  expect(lines).toEqual([]);

  engines = [{ name: 'redis' }, { name: 'postgres', warning: 'refused' }];
  log.look();
  expect(lines).toEqual([
    ['warn', { engine: 'postgres', reason: 'refused' }, 'an engine fails'],
    ['info', { engine: 'redis' }, 'an engine works again'],
  ]);

  lines.length = 0;
  engines = [];
  log.look();
  expect(lines).toEqual([]);
});

test('two engines of one name are one line', () => {
  const reason = 'refused';
  const lines: unknown[][] = [];
  const warn = (...line: unknown[]) => void lines.push(line);
  const failing = [
    { name: 'postgres', warning: reason },
    { name: 'postgres', warning: reason },
  ];
  new EngineLog(() => failing, { warn, info: warn }).look();
  expect(lines).toEqual([[{ engine: 'postgres', reason }, 'an engine fails']]);
});
