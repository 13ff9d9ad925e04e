import { e2ePreset } from '../../jest.preset.mjs';

export default { ...e2ePreset, displayName: 'console e2e' };
