import { preset } from '../../jest.preset.mjs';

export default {
  ...preset,
  displayName: 'console',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/web/src/**/*.spec.ts'],
};
