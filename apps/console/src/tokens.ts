/** The token of `Members`. */
export const MEMBERS = Symbol('MEMBERS');
/** The token of the `BillingProvider`. */
export const BILLING = Symbol('BILLING');
/** The token of the stores that the console reads: see `ConsoleStores`. */
export const STORES = Symbol('STORES');
/** The token of {@link Addresses}. */
export const ADDRESSES = Symbol('ADDRESSES');
/** The token of the networks. */
export const NETWORKS = Symbol('NETWORKS');
