import { createHash } from 'node:crypto';
import { attemptsPaused, type SignInAttempts } from '@cairn/auth';
import type { LimitRule, LimitStore } from '@cairn/metering';

/** Token bucket of failed attempts for one member from one address: 10, then one a minute. */
const ofMember = { kind: 'bucket', ratePerSecond: 1 / 60, capacity: 10 } as const satisfies LimitRule;
/** Token bucket of attempts of one address for any member; refills ten a minute. */
const ofAddress = { kind: 'bucket', ratePerSecond: 1 / 6, capacity: 100 } as const satisfies LimitRule;
/** Members who signed in from an address before. They are exempt, since clients behind a proxy share one address. */
const knownMax = 10_000;

/** Counts sign-in attempts in the limit store that all processes share. */
export function sharedSignInAttempts(store: LimitStore): SignInAttempts {
  const known = new Set<string>();
  const take = async (key: string, rule: LimitRule, want: number, give = 0) => {
    const [taken] = await store.take([{ key, rule, min: want, want, give }]);
    if (taken !== undefined && taken.granted < want) throw attemptsPaused(Math.ceil(taken.retryAfterMs / 1000));
  };
  return {
    async reserve(email, address = 'unknown') {
      // Hashed: an invented e-mail address may be long, and must not be stored in clear.
      const member = createHash('sha256').update(`${address}\0${email}`).digest('hex');
      const [memberKey, addressKey] = [`sign-in\0${member}`, `sign-in-from\0${address}`];
      const isKnown = known.has(member);
      // The address is checked first, so that a paused address creates no counters of invented members.
      if (!isKnown) await take(addressKey, ofAddress, 1);
      try {
        await take(memberKey, ofMember, 1);
      } catch (error) {
        // The password was not checked, so the attempt is returned to the address.
        if (!isKnown) await take(addressKey, ofAddress, 0, 1);
        throw error;
      }
      const giveBack = async (attempts: number) => {
        await take(memberKey, ofMember, 0, attempts);
        if (!isKnown) await take(addressKey, ofAddress, 0, 1);
      };
      return {
        async succeeded() {
          if (known.size >= knownMax) known.clear();
          known.add(member);
          await giveBack(ofMember.capacity);
        },
        withdrawn: () => giveBack(1),
      };
    },
  };
}
