import { e2ePreset } from '../../jest.preset.mjs';

export default { ...e2ePreset, displayName: 'ipfs-gateway service e2e' };
