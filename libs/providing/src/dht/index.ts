export { DhtDatastore, type DhtDatastoreOptions } from './dht-datastore.ts';
export { createDhtRouter, type DhtRouterOptions } from './dht-router.ts';
