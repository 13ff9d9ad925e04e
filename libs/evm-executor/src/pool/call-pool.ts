export interface CallPoolOptions {}
export const callPoolLimits = {};
export function createCallPool() {}
