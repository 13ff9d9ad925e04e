import type { CID } from '@cairn/cid';
import type { DeniedStatus } from './parse-rule.ts';
import { type RuleList, SubjectDigests } from './rule-list.ts';
import { type Subject, subjectOfCid, subjectOfName } from './subject.ts';

/** Reason why content is denied. */
export interface Denial {
  /** HTTP status: 410 Gone or 451 Unavailable For Legal Reasons. */
  readonly status: DeniedStatus;
  /** File and line of the rule. Not for clients, since a list may be secret. */
  readonly file: string;
  readonly line: number;
}

/** Lookups in denylists. They return immediately. */
export interface Denylist {
  /** Finds the reason to deny a block, and a path below it. */
  cid(cid: CID, path?: string): Denial | undefined;
  /** Finds the reason to deny an IPNS name, which is a key or a domain, and a path below it. */
  name(name: string, path?: string): Denial | undefined;
}

/** Rules of one file. */
export interface NamedRules {
  readonly file: string;
  readonly rules: RuleList;
}

/**
 * Looks up in several lists. Rules of later lists override those of earlier ones, as the specification says.
 * @param lists returns the current lists, in order
 */
export function denylistOf(lists: () => readonly NamedRules[]): Denylist {
  const find = (subject: () => Subject): Denial | undefined => {
    const current = lists();
    if (current.length === 0) return undefined;
    const asked = subject();
    const digests = new SubjectDigests(asked);
    for (let at = current.length - 1; at >= 0; at--) {
      const list = current[at];
      const match = list?.rules.find(asked, digests);
      if (list === undefined || match === undefined) continue;
      return match.isAllowed ? undefined : { status: match.status, file: list.file, line: match.line };
    }
    return undefined;
  };
  return {
    cid: (cid, path) => find(() => subjectOfCid(cid, path)),
    name: (name, path) => find(() => subjectOfName(name, path)),
  };
}
