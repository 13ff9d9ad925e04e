import { preset, useMemoryForTemporaryFiles } from '../../jest.preset.mjs';

useMemoryForTemporaryFiles();

export default { ...preset, displayName: 'ipns' };
