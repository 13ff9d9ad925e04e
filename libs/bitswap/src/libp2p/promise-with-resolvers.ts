/** Adds `Promise.withResolvers`, which js-libp2p uses and Node 20 lacks. Later versions of Node keep their own. */
interface Resolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

function withResolvers<T>(): Resolvers<T> {
  let resolve: Resolvers<T>['resolve'] = () => {};
  let reject: Resolvers<T>['reject'] = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

if (!('withResolvers' in Promise)) {
  Object.defineProperty(Promise, 'withResolvers', { value: withResolvers, configurable: true, writable: true });
}
