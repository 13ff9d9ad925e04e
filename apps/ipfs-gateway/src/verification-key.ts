import { createSharedKey } from '@cairn/service-kit';

/** Key of the codes by which the processes recognize blocks that one of them has hashed. */
export const verificationKey = createSharedKey('verificationKey');
