import { type ProcessGroup, shareOf } from '@cairn/service-kit';
import { AddressLimits, type AddressLimitsOptions, type AddressUse } from './address-limits.ts';

const topic = 'use by address';
/** Interval in milliseconds at which processes report their use: within it, a client can use the rate of each process. */
const reportMs = 100;

/** Creates limits whose rates hold for all processes of the gateway. Each process gets a share of the concurrent requests. */
export function sharedAddressLimits(options: AddressLimitsOptions, processes: ProcessGroup): AddressLimits {
  const shareOfLimit = (limit: number) => (limit === 0 ? 0 : shareOf(limit, processes));
  const limits = new AddressLimits({
    ...options,
    isShared: processes.count > 1,
    concurrentMax: shareOfLimit(options.concurrentMax),
    totalMax: shareOfLimit(options.totalMax),
  });
  processes.subscribe(topic, (used) => limits.addUse(used as AddressUse));
  if (processes.count === 1) return limits;
  setInterval(() => {
    const used = limits.takeUse();
    if (used.size > 0) processes.publish(topic, used);
  }, reportMs).unref();
  return limits;
}
