import { createMeter } from './measure.mjs';
import { startService } from './services.mjs';

/** Generators and facts of each service. */
const kinds = {
  storage: () => import('./storage/generators.mjs'),
  gateway: () => import('./gateway/generators.mjs'),
};

export const serviceNames = Object.keys(kinds);

/**
 * Starts a service and measures requests of its generators.
 * @returns the service, its `generators`, `beginSiege`, `make`, `measure` and `stop`
 */
export async function startSession(name, settings) {
  const { generators, createWorld } = await kinds[name]();
  const service = await startService(name, settings);
  let meter;
  const world = await createWorld(service);
  const byName = new Map(generators.map((generator) => [generator.name, generator]));
  let worldOfOne;
  return {
    service,
    generators,
    /** Opens an account of the free plan for subsequent requests of `make`; the storage API has one for all. */
    async beginSiege() {
      worldOfOne = { ...world, account: await service.openAccount({ plan: 'free' }) };
    },
    /** Creates the request of genes for the account of the siege; `salt` makes calls of equal genes distinct. */
    make: ({ name: generator, genes }, salt = 0) => byName.get(generator).make(genes, worldOfOne, salt),
    async measure({ name: generator, genes }) {
      meter ??= createMeter({ service, probe: service.probe });
      const request = await byName.get(generator).make(genes, world);
      const result = await meter.measure(request);
      await service.charge(request.account, result.credits);
      return { service: name, ...result, isCrashed: !service.isAlive() };
    },
    async stop() {
      await meter?.close();
      await service.stop();
    },
  };
}
