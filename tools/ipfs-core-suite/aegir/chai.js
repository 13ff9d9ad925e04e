import chai from 'chai';
import chaiAsPromised from 'chai-as-promised';
import chaiBites from 'chai-bites';
import chaiParentheses from 'chai-parentheses';
import chaiString from 'chai-string';
import chaiSubset from 'chai-subset';

// The order matters: chai-parentheses wraps earlier plugins.
for (const plugin of [chaiAsPromised, chaiParentheses, chaiSubset, chaiBites, chaiString]) chai.use(plugin);

export const { expect, assert } = chai;
export { chai };
