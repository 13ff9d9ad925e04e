import { e2ePreset } from '../../jest.preset.mjs';

export default { ...e2ePreset, displayName: 'cairn e2e' };
