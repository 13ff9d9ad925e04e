/** Injection token of the `PinRequestStore`. */
export const PIN_REQUEST_STORE = Symbol('PIN_REQUEST_STORE');
