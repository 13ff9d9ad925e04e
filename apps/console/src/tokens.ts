/** Injection token of `Mailer`, undefined without an SMTP server. */
export const MAILER = Symbol('MAILER');
/** Injection token of `SingleSignOn`, undefined without an OpenID provider. */
export const SINGLE_SIGN_ON = Symbol('SINGLE_SIGN_ON');
/** Injection token of `BillingProvider`. */
export const BILLING = Symbol('BILLING');
/** Injection token of `ConsoleStores`. */
export const STORES = Symbol('STORES');
/** Injection token of {@link Addresses}. */
export const ADDRESSES = Symbol('ADDRESSES');
/** Injection token of the networks. */
export const NETWORKS = Symbol('NETWORKS');
/** Injection token of `PinRequestStore`, whose webhooks send alerts. */
export const PIN_REQUESTS = Symbol('PIN_REQUESTS');
