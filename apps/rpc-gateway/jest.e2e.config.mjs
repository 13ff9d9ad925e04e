import { e2ePreset } from '../../jest.preset.mjs';

export default { ...e2ePreset, displayName: 'rpc-gateway e2e' };
