import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { sampleNetworkFile } from './sample-network.ts';

test('sampleNetworkFile finds the network beside a deployed service and in the repository', () => {
  const root = mkdtempSync(join(tmpdir(), 'sample-'));
  const module = pathToFileURL(join(root, 'apps', 'a', 'dist', 'x', 'y.js')).href;
  const place = (...path: string[]) => {
    mkdirSync(join(root, ...path.slice(0, -1)), { recursive: true });
    writeFileSync(join(root, ...path), '{}');
    return join(root, ...path);
  };
  expect(sampleNetworkFile(module, 'n.json')).toBe(join(root, 'apps', 'a', 'dist', 'sample-network', 'n.json'));
  const inRepository = place('tools', 'sample-network', 'network', 'n.json');
  expect(sampleNetworkFile(module, 'n.json')).toBe(inRepository);
  const deployed = place('apps', 'a', 'sample-network', 'n.json');
  expect(sampleNetworkFile(module, 'n.json')).toBe(deployed);
  rmSync(root, { recursive: true });
});
