export { type Denial, type Denylist, denylistOf, type NamedRules } from './denylist.ts';
export { ContentDeniedError, InvalidDenylistError } from './errors.ts';
export { findDenial, type ResolvedPath } from './find-denial.ts';
export { limits as denylistLimits } from './limits.ts';
export { type DenylistEvent, type Denylists, type OpenDenylistsOptions, openDenylists } from './open-denylists.ts';
export type { DeniedStatus, DoubleHash, Hints, Rule } from './parse-rule.ts';
export {
  type DenylistHeader,
  type LineProblem,
  type ParsedDenylist,
  type ReadDenylistOptions,
  readDenylist,
} from './read-denylist.ts';
export { type DenylistReport, reportOf } from './report-of.ts';
export type { RuleList, RuleMatch } from './rule-list.ts';
export type { Subject } from './subject.ts';
export { assertAllowed, withDenylist } from './with-denylist.ts';
