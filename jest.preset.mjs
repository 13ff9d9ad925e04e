import { accessSync, constants, statfsSync } from 'node:fs';
import { join } from 'node:path';

const memoryDirectory = '/dev/shm';
const memoryBytesMin = 512 * 1024 * 1024;

/**
 * Moves the temporary directory of tests into memory, where the system has a tmpfs with enough room. Tests of stores commit
 * thousands of times, and each commit waits for the disk. Data survives `kill -9` there as it does in the page cache of a
 * disk. Benchmarks stay on the disk.
 */
export function useMemoryForTemporaryFiles() {
  if (process.env.TMPDIR !== undefined || process.argv.some((argument) => argument.includes('.bench.'))) return;
  try {
    accessSync(memoryDirectory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memoryDirectory);
    if (bavail * bsize >= memoryBytesMin) process.env.TMPDIR = memoryDirectory;
  } catch {
    // Systems other than Linux keep their temporary directory.
  }
}

/** Base of every package's jest.config.mjs: ESM TypeScript through swc, workspace packages from their sources. */
export const preset = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // `import` must not be listed: it makes jest load ESM-only dependencies through require.
  testEnvironmentOptions: { customExportConditions: ['@cairn/source', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testTimeout: 240_000,
  maxWorkers: process.env.CI ? 2 : '50%',
  // In CI, a handle that a test left open must not keep a finished run alive until the time limit.
  forceExit: process.env.CI !== undefined,
  setupFilesAfterEnv: process.env.CI ? [join(import.meta.dirname, 'tools/lib/jest-second-attempt.mjs')] : [],
};

/** Variant for e2e tests, which drive the built service: no workspace package is resolved from its sources. */
export const e2ePreset = {
  ...preset,
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons'] },
  testMatch: ['<rootDir>/e2e/**/*.e2e.ts'],
  maxWorkers: 1,
};
