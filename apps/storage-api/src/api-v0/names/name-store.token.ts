/** Injection token of the `NameStore`. */
export const NAME_STORE = Symbol('NAME_STORE');
