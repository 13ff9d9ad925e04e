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
};

/** The e2e variant: drives the built service, so nothing of the workspace is resolved from sources. */
export const e2ePreset = {
  ...preset,
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons'] },
  testMatch: ['<rootDir>/e2e/**/*.e2e.ts'],
  maxWorkers: 1,
};
