/** Token of the pins of all accounts, for dedicated hosts. */
export const PINS = Symbol('PINS');
